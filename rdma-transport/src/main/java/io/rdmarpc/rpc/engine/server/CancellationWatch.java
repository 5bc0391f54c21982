package io.rdmarpc.rpc.engine.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Deadlines of calls whose handlers want to know when they pass. The caller says so itself by CANCEL; this is for the one
 * whose packet is lost or who is gone. Engine thread only.
 */
public final class CancellationWatch {

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<CallCancellation> watched = new ArrayList<>();
    private long lastNanos;

    void add(CallCancellation cancellation) {
        watched.add(cancellation);
    }

    /** Tells whether time may bring something. */
    public boolean isNeeded() {
        return !watched.isEmpty();
    }

    /** Looks once a millisecond; returns how many calls are over. */
    public int run(long nowNanos) {
        if (watched.isEmpty() || nowNanos - lastNanos < INTERVAL_NANOS) {
            return 0;
        }
        lastNanos = nowNanos;
        int before = watched.size();
        watched.removeIf(cancellation -> cancellation.isOver(nowNanos));
        return before - watched.size();
    }
}
