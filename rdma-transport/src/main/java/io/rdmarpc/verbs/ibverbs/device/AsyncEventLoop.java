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
 * Takes a device's asynchronous events and tells the listeners; the body of one thread.
 *
 * <p>An event is translated into our object and acknowledged before anybody is told. The order matters: as long as it is
 * not acknowledged the object cannot be destroyed, so the pointer is good for the look-up; afterwards a listener may
 * close the object without waiting for this very thread.
 *
 * <p>{@link #lifetime} covers waiting, taking and acknowledging, never a listener, so that a listener may close the whole
 * context.
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
    private boolean fatalWasTold;

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
                tellAll();
                ports.tellRecovered(System.nanoTime(), device, this::tell);
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
                source.await(ports.nanosToNextLook(System.nanoTime()));
            }
        } finally {
            lifetime.exit();
        }
    }

    /** The descriptor tells of new events only: what is left in it now may wait there for ever. */
    private void tellAll() {
        while (!stopping && take()) {
            // Until there is none.
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
        if (event != null && !ports.isOldNews(event)) {
            tell(event);
        }
        if (errno != 0 && errno != Errno.EAGAIN) {
            tellThatTheDeviceIsGone();
        }
        return errno == 0;
    }

    /** Nothing will complete and no event will come any more, so this is the last chance to say so. */
    private void tellThatTheDeviceIsGone() {
        deviceIsGone = true;
        if (!fatalWasTold) {
            tell(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL, device));
        }
    }

    private void tell(AsyncEvent event) {
        fatalWasTold |= event.type() == AsyncEventType.DEVICE_FATAL;
        subscriptions.tell(event);
    }

    /** Null for a type that is not known, and for an object that is being closed: nobody waits for its news. */
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
