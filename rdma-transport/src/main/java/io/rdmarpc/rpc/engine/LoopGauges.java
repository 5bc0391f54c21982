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
 * The current state of an engine, and the share of time in which it is busy. The time from one cycle to the next counts
 * as busy if the first of them had work. Written by the engine thread, read by any thread.
 */
public final class LoopGauges {

    private final EngineCounters counters;
    private final Sessions sessions;
    private final RcTransport rc;
    private final LargeTransfers transfers;
    private final CreditPool credits;
    private final TimerWheel timers;
    private final NanoClock clock;
    private long lastCycleNanos;
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

    /** Resets the time of the last cycle, because a thread will run the loop again. */
    void onResume() {
        counters.set(Counter.LAST_CYCLE, clock.nanoTime());
    }

    /** Records the beginning of a duty cycle. */
    void onCycle(long nowNanos) {
        if (started) {
            long passed = nowNanos - lastCycleNanos;
            counters.add(Counter.CYCLE_NANOS, passed);
            counters.add(Counter.BUSY_NANOS, wasBusy ? passed : 0);
        }
        counters.set(Counter.LAST_CYCLE, nowNanos);
        started = true;
        lastCycleNanos = nowNanos;
    }

    /** Records the end of a duty cycle. */
    void onWork(int work) {
        // Also after the first cycle without work, so that the gauges show the state after the last work.
        if (work > 0 || wasBusy) {
            counters.set(Counter.CREDITS_LENT, credits.borrowed());
            counters.set(Counter.READS_WAITING, transfers.waiting());
            counters.set(Counter.READS_IN_FLIGHT, rc.readsInFlight());
            counters.set(Counter.TIMERS_ARMED, timers.size());
        }
        wasBusy = work > 0;
    }

    /**
     * Returns how long ago the last duty cycle began.
     *
     * @return a time in nanoseconds
     */
    public long sinceLastCycleNanos() {
        long lastCycle = counters.get(Counter.LAST_CYCLE);
        return Math.max(0, clock.nanoTime() - lastCycle);
    }

    /**
     * Returns the time of the duty cycles that had work.
     *
     * @return nanoseconds since the engine was created
     */
    public long busyNanos() {
        return counters.get(Counter.BUSY_NANOS);
    }

    /**
     * Returns the number of calls that are being served. Their request is being READ, their method runs, or the client
     * has not released their large response.
     *
     * @return number of calls
     */
    public long executingCalls() {
        long completed = counters.get(Counter.REQUESTS_COMPLETED);
        long large = counters.get(Counter.LARGE_IN_PROGRESS);
        return Math.max(0, counters.get(Counter.REQUESTS_DISPATCHED) - completed) + large;
    }

    /**
     * Returns the counters.
     *
     * @return a snapshot
     */
    public EngineStatistics statistics() {
        return counters.statistics(sessions.clients().size(), sessions.servers().size());
    }

    /**
     * Returns the numbers of streams and of cancelled calls.
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
     * Returns the load of the engine and the causes of delays.
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
                counters.get(Counter.CYCLE_NANOS));
    }
}
