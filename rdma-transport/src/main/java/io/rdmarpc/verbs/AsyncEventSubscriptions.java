package io.rdmarpc.verbs;

import io.rdmarpc.verbs.RdmaContext.Subscription;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The listeners of a device's asynchronous events; for providers. Thread-safe. Listeners may be added and removed while
 * an event is delivered. An exception of one listener does not affect the others.
 */
public final class AsyncEventSubscriptions {

    private final List<Entry> entries = new CopyOnWriteArrayList<>();

    /** Creates an empty list of listeners. */
    public AsyncEventSubscriptions() {}

    /** One subscription. A listener that subscribes twice receives each event twice. */
    private final class Entry implements Subscription {

        private final AsyncEventListener listener;
        private volatile boolean isClosed;

        private Entry(AsyncEventListener listener) {
            this.listener = listener;
        }

        private void deliver(AsyncEvent event) {
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
     * @param listener receives each event after this call
     * @return the subscription; closing it removes the listener
     */
    public Subscription add(AsyncEventListener listener) {
        Entry entry = new Entry(listener);
        entries.add(entry);
        return entry;
    }

    /**
     * Delivers an event to the listeners in the order in which they subscribed.
     *
     * @param event the event
     */
    public void tell(AsyncEvent event) {
        entries.forEach(entry -> entry.deliver(event));
    }

    /** Reports the failure to the thread's handler. A failure of the handler does not end the thread. */
    private static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        try {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
        }
    }
}
