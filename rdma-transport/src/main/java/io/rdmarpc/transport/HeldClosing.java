package io.rdmarpc.transport;

import org.jspecify.annotations.Nullable;

/**
 * Closes a resource once, but not while it is held. An example is a resource that a thread, which did not stop in time,
 * may still use.
 *
 * <pre>
 *   open --close--> closed              open --hold--> held --close--> held, to be closed --release--> closed
 * </pre>
 *
 * Thread-safe.
 */
final class HeldClosing {

    private final Runnable action;
    private int holds;
    private boolean closeRequested;
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
        closeIfRequested();
    }

    void close() {
        synchronized (this) {
            closeRequested = true;
        }
        closeIfRequested();
    }

    private void closeIfRequested() {
        synchronized (this) {
            if (done || !closeRequested || holds > 0) {
                return;
            }
            done = true;
        }
        action.run();
    }

    /** Closes the parts that are not null, in order. */
    static void closeAll(@Nullable AutoCloseable... parts) {
        for (AutoCloseable part : parts) {
            try {
                if (part != null) {
                    part.close();
                }
            } catch (Exception e) {
                throw new IllegalStateException("cannot close a verbs object", e);
            }
        }
    }
}
