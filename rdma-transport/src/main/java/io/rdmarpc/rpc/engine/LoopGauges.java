package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.packet.CreditPool;
import io.rdmarpc.rpc.engine.transfer.LargeTransfers;
import io.rdmarpc.rpc.stats.ActivityStatistics;
import io.rdmarpc.rpc.stats.EngineStatistics;
import io.rdmarpc.rpc.stats.TrafficStatistics;
import io.rdmarpc.transport.RcTransport;

/**
 * What an engine holds at the moment, written once per turn that did something, and how its time is spent: the time from
 * one turn to the next counts as busy when the first of them had work. Written by the engine thread, read by any.
 */
public final class LoopGauges {

    private final EngineCounters counters;
    private final Sessions sessions;
    private final RcTransport rc;
    private final LargeTransfers transfers;
    private final CreditPool credits;
    private final TimerWheel timers;
    private final NanoClock clock;
    private long lastTurnNanos;
    private boolean started;
    private boolean wasBusy;

    LoopGauges(
            EngineCounters counters,
            Sessions sessions,
            RcTransport rc,
            LargeTransfers transfers,
            CreditPool credits,
            TimerWheel timers,
            NanoClock clock) {
        this.counters = counters;
        this.sessions = sessions;
        this.rc = rc;
        this.transfers = transfers;
        this.credits = credits;
        this.timers = timers;
        this.clock = clock;
    }

    /** Somebody will turn the loop from now on. */
    void onResume() {
        counters.set(Counter.LAST_TURN, clock.nanoTime());
    }

    /** A turn has begun. */
    void onCycle(long nowNanos) {
        if (started) {
            long passed = nowNanos - lastTurnNanos;
            counters.add(Counter.TURN_NANOS, passed);
            counters.add(Counter.BUSY_NANOS, wasBusy ? passed : 0);
        }
        counters.set(Counter.LAST_TURN, nowNanos);
        started = true;
        lastTurnNanos = nowNanos;
    }

    /** A turn has ended. */
    void onWork(int work) {
        // One turn more, so that the last numbers of a busy time are seen, too.
        if (work > 0 || wasBusy) {
            counters.set(Counter.CREDITS_LENT, credits.borrowed());
            counters.set(Counter.READS_WAITING, transfers.waiting());
            counters.set(Counter.READS_IN_FLIGHT, rc.readsInFlight());
            counters.set(Counter.TIMERS_ARMED, timers.size());
        }
        wasBusy = work > 0;
    }

    /**
     * Tells how long ago the last turn began.
     *
     * @return nanoseconds
     */
    public long sinceLastCycleNanos() {
        long lastTurn = counters.get(Counter.LAST_TURN);
        return Math.max(0, clock.nanoTime() - lastTurn);
    }

    /**
     * Counts calls that are being served: whose request is fetched, whose method runs, or whose large answer the client
     * has not fetched yet.
     *
     * @return how many
     */
    public long executingCalls() {
        long answered = counters.get(Counter.REQUESTS_ANSWERED);
        long large = counters.get(Counter.LARGE_UNDER_WAY);
        return Math.max(0, counters.get(Counter.REQUESTS_DISPATCHED) - answered) + large;
    }

    /**
     * Reads the counters.
     *
     * @return a snapshot
     */
    public EngineStatistics statistics() {
        return counters.statistics(sessions.clients().size(), sessions.servers().size());
    }

    /**
     * Counts streams and calls given up.
     *
     * @return a snapshot
     */
    public ActivityStatistics activity() {
        return new ActivityStatistics(
                counters.get(Counter.STREAMS_OPENED),
                counters.get(Counter.STREAMS_OPEN),
                counters.get(Counter.CALLS_CANCELLED),
                counters.get(Counter.REQUESTS_CANCELLED));
    }

    /**
     * Tells how busy the engine is and what holds it up.
     *
     * @return a snapshot
     */
    public TrafficStatistics traffic() {
        return new TrafficStatistics(
                counters.get(Counter.MESSAGES_SENT),
                counters.get(Counter.MESSAGES_BATCHED),
                counters.get(Counter.WINDOW_STALLS),
                counters.get(Counter.CREDIT_STALLS),
                counters.get(Counter.PACING_STALLS),
                counters.get(Counter.BACKLOG),
                counters.get(Counter.CREDITS_LENT),
                counters.get(Counter.READS_WAITING),
                counters.get(Counter.READS_IN_FLIGHT),
                counters.get(Counter.READS_STALLED),
                counters.get(Counter.TIMERS_ARMED),
                counters.get(Counter.DATAGRAM_FAILURES),
                counters.get(Counter.BUSY_NANOS),
                counters.get(Counter.TURN_NANOS));
    }
}
