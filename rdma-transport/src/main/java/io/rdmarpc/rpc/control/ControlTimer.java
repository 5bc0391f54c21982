package io.rdmarpc.rpc.control;

/** Something to be done at a time. Control thread only. */
final class ControlTimer implements Comparable<ControlTimer> {

    private final long dueNanos;
    private final Runnable action;
    private boolean cancelled;

    ControlTimer(long dueNanos, Runnable action) {
        this.dueNanos = dueNanos;
        this.action = action;
    }

    long dueNanos() {
        return dueNanos;
    }

    /** A cancelled timer stays where it is until its time and then does nothing. */
    void cancel() {
        cancelled = true;
    }

    void fire() {
        if (!cancelled) {
            cancelled = true;
            action.run();
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
