package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.AsyncEventListener;
import io.rdmarpc.verbs.AsyncEventSubscriptions;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.ibverbs.ffi.AsyncEventSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions to a device's asynchronous events, and the thread that serves them after the first subscription.
 */
public final class AsyncEvents {

    private final String device;
    private final EventTargets targets;
    private final PortStatePoller ports;
    private final AsyncEventSubscriptions subscriptions = new AsyncEventSubscriptions();
    private @Nullable AsyncEventLoop loop;

    public AsyncEvents(String device, EventTargets targets, PortStatePoller ports) {
        this.device = device;
        this.targets = targets;
        this.ports = ports;
    }

    /** Adds a listener; the context must be open. */
    public synchronized Subscription subscribe(AsyncEventListener listener, Supplier<AsyncEventSource> source) {
        if (loop != null) {
            return subscriptions.add(listener);
        }
        AsyncEventLoop first = new AsyncEventLoop(device, source.get(), targets, ports, subscriptions);
        Subscription subscription = subscriptions.add(listener);
        try {
            Thread.ofPlatform().daemon().name("rdma-events-" + device).start(first);
        } catch (OutOfMemoryError e) { // No thread could be created; a later subscription may succeed.
            subscription.close();
            first.stop();
            throw e;
        }
        loop = first;
        return subscription;
    }

    /**
     * Stops reading events; no event is read after this method returns. It does not wait for a listener, which may be
     * waiting for the caller's lock.
     */
    public void stop() {
        AsyncEventLoop running = current();
        if (running != null) {
            running.stop();
        }
    }

    private synchronized @Nullable AsyncEventLoop current() {
        return loop;
    }
}
