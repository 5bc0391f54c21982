package io.rdmarpc.verbs;

import io.rdmarpc.verbs.RdmaContext.Subscription;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Who hears of asynchronous events; used by providers. A listener may come, go and fail at any time, also while it is
 * called.
 */
public final class AsyncEventSubscriptions {

    private final List<Entry> entries = new CopyOnWriteArrayList<>();

    /** Makes it; nobody hears yet. */
    public AsyncEventSubscriptions() {}

    /** One subscription; a listener that subscribes twice hears everything twice. */
    private final class Entry implements Subscription {

        private final AsyncEventListener listener;
        private volatile boolean isClosed;

        private Entry(AsyncEventListener listener) {
            this.listener = listener;
        }

        private void tell(AsyncEvent event) {
            if (isClosed) {
                return;
            }
            try {
                listener.onEvent(event);
            } catch (Throwable e) {
                report(e);
            }
        }

        @Override
        public void close() {
            isClosed = true;
            entries.remove(this);
        }
    }

    /**
     * Adds a listener.
     *
     * @param listener hears of each event from now on
     * @return ends the subscription when closed
     */
    public Subscription add(AsyncEventListener listener) {
        Entry entry = new Entry(listener);
        entries.add(entry);
        return entry;
    }

    /**
     * Tells all of them, in the order in which they came.
     *
     * @param event what happened
     */
    public void tell(AsyncEvent event) {
        entries.forEach(entry -> entry.tell(event));
    }

    /** The thread goes on, even when its handler fails as well. */
    private static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
        }
    }
}
