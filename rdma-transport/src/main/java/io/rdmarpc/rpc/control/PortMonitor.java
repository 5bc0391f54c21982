package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions on what the device reports outside of completions: a dead device or queue completes nothing any more, so
 * nobody would notice before the calls time out.
 *
 * <pre>
 *   works --port down--> down --port active--> works      works, down --device or queue failed--> failed
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
            ControlLoop.LOG.log(System.Logger.Level.DEBUG, "no asynchronous events: {0}", e.getMessage());
        }
    }

    void stop() {
        Subscription ending = subscription;
        if (ending != null) {
            ending.close();
            subscription = null;
        }
    }

    /** Says why no session can live now, null when they can. Any thread. */
    @Nullable
    String problem() {
        return problem;
    }

    /** Control thread only. */
    void onEvent(AsyncEvent event) {
        if (event.type() == AsyncEventType.PORT_ERR && event.portNumber() == nic.portNumber()) {
            fail("port " + event.portNumber() + " of " + nic.deviceName() + " is down");
        } else if (event.type() == AsyncEventType.PORT_ACTIVE && event.portNumber() == nic.portNumber()) {
            problem = null;
        } else if (event.type().isFatal()) {
            onFatal(event);
        }
    }

    /** The queue pair of one session ends that one; anything else is shared by all. */
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
        if (context.isDatagramQueuePair(event.queuePair().number())) {
            // The engine brings it back; new sessions may come at once.
            endAll("the datagram queue pair of " + nic.deviceName() + " failed: " + event.type());
        }
    }

    private void fail(String reason) {
        problem = reason;
        endAll(reason);
    }

    private void endAll(String reason) {
        ControlLoop.LOG.log(System.Logger.Level.WARNING, "all sessions end: {0}", reason);
        for (ControlSession session : context.sessions()) {
            if (session.isOn(nic)) {
                session.end(reason);
            }
        }
    }
}
