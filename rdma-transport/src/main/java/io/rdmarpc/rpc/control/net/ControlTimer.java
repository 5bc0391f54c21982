package io.rdmarpc.rpc.control.net;

import org.jspecify.annotations.Nullable;

/** An action that is due at a time. Control thread only. */
public final class ControlTimer implements Comparable<ControlTimer> {

    private final long dueNanos;
    private @Nullable Runnable action;

    ControlTimer(long dueNanos, Runnable action) {
        this.dueNanos = dueNanos;
        this.action = action;
    }

    long dueNanos() {
        return dueNanos;
    }

    /**
     * Cancels the timer. It stays in the queue until it is due and then does nothing. Its action is released now.
     * Otherwise, connections that open and close quickly would fill the memory.
     */
    public void cancel() {
        action = null;
    }

    void fire() {
        Runnable due = action;
        if (due != null) {
            action = null;
            due.run();
        }
    }

    @Override
    public int compareTo(ControlTimer other) {
        return Long.signum(dueNanos - other.dueNanos);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }
}
