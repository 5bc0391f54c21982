package io.rdmarpc.transport;

import org.jspecify.annotations.Nullable;

/**
 * Closes something once, but not while it is held: by a thread, say, that could not be stopped and may still use it.
 *
 * <pre>
 *   open --close--> closed              open --hold--> held --close--> held, to be closed --release--> closed
 * </pre>
 *
 * Any thread.
 */
final class HeldClosing {

    private final Runnable action;
    private int holds;
    private boolean wanted;
    private boolean done;

    HeldClosing(Runnable action) {
        this.action = action;
    }

    synchronized void hold() {
        holds++;
    }

    void release() {
        synchronized (this) {
            holds--;
        }
        closeIfDue();
    }

    void close() {
        synchronized (this) {
            wanted = true;
        }
        closeIfDue();
    }

    private void closeIfDue() {
        synchronized (this) {
            if (done || !wanted || holds > 0) {
                return;
            }
            done = true;
        }
        action.run();
    }

    /** Closes what there is, in order. */
    static void closeAll(@Nullable AutoCloseable... parts) {
        for (AutoCloseable part : parts) {
            try {
                if (part != null) {
                    part.close();
                }
            } catch (Exception e) {
                throw new IllegalStateException("a verbs object could not be closed", e);
            }
        }
    }
}
