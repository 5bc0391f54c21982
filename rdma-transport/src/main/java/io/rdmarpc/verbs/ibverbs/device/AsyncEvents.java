package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.AsyncEventListener;
import io.rdmarpc.verbs.AsyncEventSubscriptions;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.ibverbs.ffi.AsyncEventSource;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The subscriptions to a device's asynchronous events, and the thread that serves them once there is one. */
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

    /** Called while the context is open. */
    public synchronized Subscription subscribe(AsyncEventListener listener, Supplier<AsyncEventSource> source) {
        if (loop != null) {
            return subscriptions.add(listener);
        }
        AsyncEventLoop first = new AsyncEventLoop(device, source.get(), targets, ports, subscriptions);
        Subscription subscription = subscriptions.add(listener);
        try {
            Thread.ofPlatform().daemon().name("rdma-events-" + device).start(first);
        } catch (OutOfMemoryError e) { // What a thread too many makes: the next one that asks may have more luck.
            subscription.close();
            first.stop();
            throw e;
        }
        loop = first;
        return subscription;
    }

    /**
     * Takes no events any more when it returns. Does not wait for a listener: it may be waiting for the lock under which
     * this is called.
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
