package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.rpc.ActivityStatistics;
import io.rdmarpc.rpc.TrafficStatistics;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.transport.RcTransport;

/**
 * What an engine holds at the moment, written once per turn that did something, and how its time is spent: the time from
 * one turn to the next counts as busy when the first of them had work. Written by the engine thread, read by any.
 */
final class LoopGauges {

    private final EngineCounters counters;
    private final RcTransport rc;
    private final CreditPool credits;
    private final TimerWheel timers;
    private long lastTurnNanos;
    private boolean started;
    private boolean wasBusy;

    LoopGauges(EngineCounters counters, RcTransport rc, CreditPool credits, TimerWheel timers) {
        this.counters = counters;
        this.rc = rc;
        this.credits = credits;
        this.timers = timers;
    }

    /** Somebody will turn the loop from now on. */
    void onResume(long nowNanos) {
        counters.set(Counter.LAST_TURN, nowNanos);
    }

    /** A turn has begun. */
    void onTurn(long nowNanos) {
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
            counters.set(Counter.READS_WAITING, rc.readsWaiting());
            counters.set(Counter.READS_IN_FLIGHT, rc.readsInFlight());
            counters.set(Counter.TIMERS_ARMED, timers.size());
        }
        wasBusy = work > 0;
    }

    /** Any thread. */
    ActivityStatistics activity() {
        return new ActivityStatistics(
                counters.get(Counter.STREAMS_OPENED),
                counters.get(Counter.STREAMS_OPEN),
                counters.get(Counter.CALLS_CANCELLED),
                counters.get(Counter.REQUESTS_CANCELLED));
    }

    /** When the last turn began. Any thread. */
    long lastTurnNanos() {
        return counters.get(Counter.LAST_TURN);
    }

    /** Any thread. */
    TrafficStatistics statistics() {
        return new TrafficStatistics(
                counters.get(Counter.MESSAGES_SENT),
                counters.get(Counter.MESSAGES_BUNDLED),
                counters.get(Counter.WINDOW_STALLS),
                counters.get(Counter.CREDIT_STALLS),
                counters.get(Counter.PACING_STALLS),
                counters.get(Counter.BACKLOG),
                counters.get(Counter.CREDITS_LENT),
                counters.get(Counter.READS_WAITING),
                counters.get(Counter.READS_IN_FLIGHT),
                counters.get(Counter.TIMERS_ARMED),
                counters.get(Counter.DATAGRAM_FAILURES),
                counters.get(Counter.BUSY_NANOS),
                counters.get(Counter.TURN_NANOS));
    }
}
