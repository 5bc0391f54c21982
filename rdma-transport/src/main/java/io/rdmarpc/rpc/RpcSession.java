package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;

/** A live session to one peer. Ends when the peer dies or says goodbye; the channel then opens another. Any thread. */
public interface RpcSession extends MessageAllocator {

    /**
     * Calls a method.
     *
     * @param methodId which, see {@link ServiceContract#methodId}
     * @param request the arguments; owned by the engine from now on, also when the call fails
     * @param timeoutNanos how long the call may take, over 0
     * @param handler takes the end of the call
     */
    void call(int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler);

    /**
     * Tells whether calls can start.
     *
     * @return false once the session has ended
     */
    boolean isOpen();

    /**
     * Describes the session.
     *
     * @return what was negotiated
     */
    SessionInfo info();

    /**
     * Tells how long calls take.
     *
     * @return a snapshot
     */
    RoundTripStatistics roundTrips();
}
