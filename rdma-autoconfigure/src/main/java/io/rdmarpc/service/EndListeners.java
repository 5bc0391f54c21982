package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Who wants to know how one call ended; told once, the last one first: interceptors inside hear before those around them.
 * Any thread; costs a call without listeners next to nothing.
 */
public final class EndListeners {

    private static final Log LOG = LogFactory.getLog(EndListeners.class);
    private static final End SUCCESS = new End(RpcStatus.OK, null);
    private static final VarHandle STATE = stateHandle();

    /** Null while nobody listens; then who does, at last the end. */
    private volatile @Nullable State state;

    private sealed interface State {}

    private record Listening(
            CallContext.EndListener listener, @Nullable Listening before) implements State {}

    private record End(RpcStatus status, @Nullable Throwable failure) implements State {

        void tell(CallContext.EndListener listener) {
            try {
                listener.onEnd(status, failure);
            } catch (RuntimeException e) {
                LOG.warn("a listener of a call's end failed: " + listener, e);
            }
        }
    }

    /** Makes listeners of a call that has not ended. */
    public EndListeners() {}

    private static VarHandle stateHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(EndListeners.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Adds one.
     *
     * @param listener told at once when the call has ended already
     */
    public void add(CallContext.EndListener listener) {
        State seen;
        do {
            seen = state;
            if (seen instanceof End end) {
                end.tell(listener);
                return;
            }
        } while (!STATE.compareAndSet(this, seen, new Listening(listener, (Listening) seen)));
    }

    /**
     * Tells all.
     *
     * @param status how the call ended
     * @param failure why it failed, null when it did not
     * @return false when it had ended before
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
        for (Listening told = (Listening) seen; told != null; told = told.before()) {
            end.tell(told.listener());
        }
        return true;
    }
}
