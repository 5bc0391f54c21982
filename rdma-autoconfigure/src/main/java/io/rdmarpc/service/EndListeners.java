package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of the end of one call. Each is called once, the last one first, so that inner interceptors are
 * notified before outer ones. Thread-safe. A call without listeners has almost no overhead.
 */
public final class EndListeners {

    private static final Log LOG = LogFactory.getLog(EndListeners.class);
    private static final End SUCCESS = new End(RpcStatus.OK, null);
    private static final VarHandle STATE = stateHandle();

    /** Null without listeners, then the list of listeners, finally the end. */
    private volatile @Nullable State state;

    private sealed interface State {}

    private record Listening(
            CallContext.EndListener listener, @Nullable Listening before) implements State {}

    private record End(RpcStatus status, @Nullable Throwable failure) implements State {

        void deliver(CallContext.EndListener listener) {
            try {
                listener.onEnd(status, failure);
            } catch (RuntimeException e) {
                LOG.warn("A listener for the end of a call threw an exception: " + listener, e);
            }
        }
    }

    /** Creates the listeners of a call that has not ended. */
    public EndListeners() {}

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(EndListeners.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Adds a listener.
     *
     * @param listener called at once if the call has ended already
     */
    public void add(CallContext.EndListener listener) {
        State seen;
        do {
            seen = state;
            if (seen instanceof End end) {
                end.deliver(listener);
                return;
            }
        } while (!STATE.compareAndSet(this, seen, new Listening(listener, (Listening) seen)));
    }

    /**
     * Notifies all listeners.
     *
     * @param status the status of the call
     * @param failure the failure, null if the call succeeded
     * @return false if the call had ended before
     */
    public boolean end(RpcStatus status, @Nullable Throwable failure) {
        End end = failure == null && status == RpcStatus.OK ? SUCCESS : new End(status, failure);
        State seen;
        do {
            seen = state;
            if (seen instanceof End) {
                return false;
            }
        } while (!STATE.compareAndSet(this, seen, end));
        for (Listening notified = (Listening) seen; notified != null; notified = notified.before()) {
            end.deliver(notified.listener());
        }
        return true;
    }
}
