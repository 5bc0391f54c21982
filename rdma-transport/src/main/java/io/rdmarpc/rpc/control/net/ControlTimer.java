package io.rdmarpc.rpc.control.net;

import org.jspecify.annotations.Nullable;

/** Something to be done at a time. Control thread only. */
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
     * A cancelled timer stays where it is until its time and then does nothing. What it was about goes now: connections that
     * come and go fast would fill the memory.
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
