package io.rdmarpc.service;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.contract.ServiceMethod;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** One call, on either side, as interceptors see it: once for what the caller did, also when it is tried again. */
public interface CallContext {

    /**
     * Returns the method that is called.
     *
     * @return with its service, name, types and declaration
     */
    ServiceMethod method();

    /**
     * Returns the service that is called.
     *
     * @return its name
     */
    default String service() {
        return method().service();
    }

    /**
     * Returns the arguments, in their order.
     *
     * @return the call's own; what an interceptor puts there is what the method gets
     */
    @Nullable
    Object[] arguments();

    /**
     * Returns what travels with the call beside its arguments.
     *
     * @return to be changed on the client before the call goes on; read only on the server
     */
    CallMetadata metadata();

    /**
     * Returns how much time the call has left.
     *
     * @return nanoseconds, 0 or less when it is over
     */
    long remainingNanos();

    /**
     * Returns how much time the call has left.
     *
     * @return zero when it is over
     */
    default Duration remaining() {
        return Duration.ofNanos(Math.max(0, remainingNanos()));
    }

    /**
     * Tells who the other side is.
     *
     * @return its address and, by TLS, its name; null on a client that has not been connected yet
     */
    @Nullable
    PeerIdentity peer();

    /**
     * Asks to be told when the call has ended, whatever the method returns: a value, a future or a stream.
     *
     * @param listener told once, on the thread that ends the call; must not block
     */
    void onEnd(EndListener listener);

    /** Hears of a call's end. What it throws is logged and harms no call. */
    @FunctionalInterface
    interface EndListener {

        /**
         * The call has ended.
         *
         * @param status how
         * @param failure what the caller gets, or what the method threw; null when it returned
         */
        void onEnd(RpcStatus status, @Nullable Throwable failure);
    }

    /** The rest of a call, from an interceptor's point of view. */
    @FunctionalInterface
    interface Next {

        /**
         * Goes on: the next interceptor, at last the call itself.
         *
         * @return what the method returns: the value, the future or stream of it
         * @throws Throwable what the call fails with, where its method does not return a future or stream
         */
        @Nullable
        Object proceed() throws Throwable;
    }
}
