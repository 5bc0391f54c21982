package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions on asynchronous events of the device. A dead device or queue completes no work request. Without this
 * class, the calls would only time out.
 *
 * <pre>
 *   working --port down--> down --port active--> working      working, down --device or queue failed--> failed
 * </pre>
 */
final class PortMonitor {

    private final ControlContext context;
    private final NicContext nic;
    private volatile @Nullable String problem;
    private @Nullable Subscription subscription;

    PortMonitor(ControlContext context, NicContext nic) {
        this.context = context;
        this.nic = nic;
    }

    void start() {
        try {
            subscription = nic.context().onAsyncEvent(event -> context.loop.execute(() -> onEvent(event)));
        } catch (RdmaVerbsException e) {
            ControlLoop.LOG.log(
                    System.Logger.Level.DEBUG, "the device has no asynchronous events: {0}", e.getMessage());
        }
    }

    void stop() {
        Subscription ending = subscription;
        if (ending != null) {
            ending.close();
            subscription = null;
        }
    }

    /** Returns why no session can work now, null if sessions can work. Thread-safe. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Handles an event of the device. Control thread only. */
    void onEvent(AsyncEvent event) {
        if (event.type() == AsyncEventType.PORT_ERR && event.portNumber() == nic.portNumber()) {
            fail("port " + event.portNumber() + " of " + nic.deviceName() + " is down");
        } else if (event.type() == AsyncEventType.PORT_ACTIVE && event.portNumber() == nic.portNumber()) {
            problem = null;
        } else if (event.type().isFatal()) {
            onFatal(event);
        }
    }

    /** A failed queue pair of a session ends that session. All sessions share the other objects. */
    private void onFatal(AsyncEvent event) {
        if (event.queuePair() == null) {
            fail(nic.deviceName() + " failed: " + event.type());
            return;
        }
        for (ControlSession session : context.sessions()) {
            if (session.owns(event.queuePair())) {
                session.queuePairFailed(event.type());
                return;
            }
        }
        if (context.placement.isDatagramQueuePair(event.queuePair().number())) {
            // The engine recovers the queue pair; new sessions may open at once.
            endAll("the datagram queue pair of " + nic.deviceName() + " failed: " + event.type());
        }
    }

    private void fail(String reason) {
        problem = reason;
        endAll(reason);
    }

    private void endAll(String reason) {
        ControlLoop.LOG.log(System.Logger.Level.WARNING, "all sessions of a NIC end: {0}", reason);
        for (ControlSession session : context.sessions()) {
            if (session.isOn(nic)) {
                session.end(reason);
            }
        }
    }
}
