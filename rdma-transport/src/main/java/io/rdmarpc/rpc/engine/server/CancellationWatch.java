package io.rdmarpc.rpc.engine.server;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Watches the deadlines of calls whose handlers have listeners. A caller normally sends CANCEL at the deadline. This
 * class covers lost CANCEL packets and unreachable callers. Engine thread only.
 */
public final class CancellationWatch {

    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final List<CallCancellation> watched = new ArrayList<>();
    private long lastNanos;

    void add(CallCancellation cancellation) {
        watched.add(cancellation);
    }

    /** Returns whether any deadline is watched. */
    public boolean isNeeded() {
        return !watched.isEmpty();
    }

    /** Checks the deadlines once a millisecond; returns how many calls need not be watched any more. */
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
