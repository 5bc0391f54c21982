package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventSubscriptions;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.AsyncEventSource;
import io.rdmarpc.verbs.ibverbs.ffi.struct.AsyncEventStruct;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * Reads a device's asynchronous events and delivers them to the listeners; the body of one thread.
 *
 * <p>The loop translates an event to Java objects and acknowledges it before it calls a listener. Until the
 * acknowledgment the object cannot be destroyed, so that the pointer is valid for the lookup. After it a listener may
 * close the object without waiting for this thread.
 *
 * <p>{@link #lifetime} covers waiting, reading and acknowledging, but no listener. A listener may therefore close the
 * whole context.
 */
final class AsyncEventLoop implements Runnable {

    private static final String VERB = "ibv_get_async_event";

    private final String device;
    private final AsyncEventSource source;
    private final EventTargets targets;
    private final PortStatePoller ports;
    private final AsyncEventSubscriptions subscriptions;
    private final Lifetime lifetime;
    private final AsyncEventStruct struct = AsyncEventStruct.allocate(Arena.ofAuto());
    private volatile boolean stopping;
    private boolean deviceIsGone;
    private boolean fatalDelivered;

    AsyncEventLoop(
            String device,
            AsyncEventSource source,
            EventTargets targets,
            PortStatePoller ports,
            AsyncEventSubscriptions subscriptions) {
        this.device = device;
        this.source = source;
        this.targets = targets;
        this.ports = ports;
        this.subscriptions = subscriptions;
        this.lifetime = new Lifetime("device", device);
    }

    @Override
    public void run() {
        try {
            ports.start();
            while (!stopping && !deviceIsGone) {
                waitForEvents();
                deliverPending();
                ports.deliverRecovered(System.nanoTime(), device, this::deliver);
            }
        } catch (RdmaVerbsException e) {
            if (!stopping) {
                throw e;
            }
        }
    }

    private void waitForEvents() {
        lifetime.enter(VERB);
        try {
            if (!stopping) {
                source.await(ports.nanosToNextPoll(System.nanoTime()));
            }
        } finally {
            lifetime.exit();
        }
    }

    /**
     * Delivers all pending events. The descriptor signals only new events: an event that is not read now could stay
     * unread.
     */
    private void deliverPending() {
        while (!stopping && take()) {
            // Repeats until no event is pending.
        }
    }

    private boolean take() {
        AsyncEvent event = null;
        int errno;
        lifetime.enter(VERB);
        try {
            errno = source.take(struct);
            if (errno == 0) {
                event = translate();
                source.acknowledge(struct);
            }
        } finally {
            lifetime.exit();
        }
        if (event != null && !ports.isDuplicate(event)) {
            deliver(event);
        }
        if (errno != 0 && errno != Errno.EAGAIN) {
            deliverDeviceGone();
        }
        return errno == 0;
    }

    /** Delivers a final event, because the device reports no completions and events afterwards. */
    private void deliverDeviceGone() {
        deviceIsGone = true;
        if (!fatalDelivered) {
            deliver(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL, device));
        }
    }

    private void deliver(AsyncEvent event) {
        fatalDelivered |= event.type() == AsyncEventType.DEVICE_FATAL;
        subscriptions.tell(event);
    }

    /** Returns null for an unknown type, and for an object in the process of being closed. */
    private @Nullable AsyncEvent translate() {
        if (!AsyncEventType.isKnown(struct.type())) {
            return null;
        }
        AsyncEventType type = AsyncEventType.of(struct.type());
        return switch (type.source()) {
            case DEVICE, OTHER -> AsyncEvent.ofDevice(type, device);
            case PORT -> AsyncEvent.ofPort(type, device, struct.portNumber());
            case QUEUE_PAIR -> {
                QueuePair qp = targets.find(struct.pointer(), QueuePair.class);
                yield qp == null ? null : new AsyncEvent(type, device, 0, qp, null, null);
            }
            case COMPLETION_QUEUE -> {
                CompletionQueue cq = targets.find(struct.pointer(), CompletionQueue.class);
                yield cq == null ? null : new AsyncEvent(type, device, 0, null, cq, null);
            }
            case SHARED_RECEIVE_QUEUE -> {
                SharedReceiveQueue srq = targets.find(struct.pointer(), SharedReceiveQueue.class);
                yield srq == null ? null : new AsyncEvent(type, device, 0, null, null, srq);
            }
        };
    }

    void stop() {
        stopping = true;
        lifetime.ifOpen(source::wakeUp);
        lifetime.end(source::close);
    }
}
