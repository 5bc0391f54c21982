package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.rpc.stats.RoundTripStatistics;

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
     * Calls a method for a caller that has looked at the clock a moment ago, which costs a share of a call.
     *
     * @param methodId which, see {@link ServiceContract#methodId}
     * @param request the arguments; owned by the engine from now on, also when the call fails
     * @param startNanos {@link System#nanoTime} as it was
     * @param timeoutNanos how long the call may take from then on, over 0
     * @param handler takes the end of the call
     */
    default void call(
            int methodId, MessageBuffer request, long startNanos, long timeoutNanos, ResponseHandler handler) {
        call(methodId, request, Math.max(1, timeoutNanos - (System.nanoTime() - startNanos)), handler);
    }

    /**
     * Calls a method for a thread that has nothing else to do until the end. A platform thread turns the engine itself
     * meanwhile, as {@link RpcCall#call} does, where nobody else's code can run on it by that: where this process serves no
     * methods. This returns when the call has ended; it may return before, and then the caller goes on waiting.
     *
     * @param methodId which, see {@link ServiceContract#methodId}
     * @param request the arguments; owned by the engine from now on, also when the call fails
     * @param startNanos when the call's time began, by {@link System#nanoTime()}
     * @param timeoutNanos how long the call may take from then on, over 0
     * @param handler takes the end of the call, and unparks this thread
     */
    default void callAndWait(
            int methodId, MessageBuffer request, long startNanos, long timeoutNanos, AwaitedResponseHandler handler) {
        call(methodId, request, startNanos, timeoutNanos, handler);
    }

    /**
     * Makes a call that can be made again and again without allocation.
     *
     * @param end told of each end, on the thread that turns the engine
     * @return the call, owned by the caller
     */
    RpcCall prepareCall(RpcCall.End end);

    /**
     * Opens a stream. Messages may be offered once the server has accepted it and given credits.
     *
     * @param methodId a method that accepts streams, see {@link RpcRequest#acceptStream}
     * @param credits messages that the server may send before {@link RpcStream#request}, 0 to {@link
     *     RpcStream#MAX_CREDITS}
     * @param timeoutNanos how long the stream may live, over 0
     * @param receiver takes what comes, and the end
     * @return this end of the stream
     * @throws RdmaBackpressureException when the session has as many streams as it may, or no memory
     * @throws RdmaUnavailableException when the session has ended
     */
    RpcStream openStream(int methodId, int credits, long timeoutNanos, StreamReceiver receiver);

    /**
     * Gives a call up, wherever it is: waiting for a slot, under way, its answer being fetched. Its handler gets {@link
     * RpcStatus#CANCELLED}, unless the call's end came first; then nothing happens. The server is told, so that a
     * handler that listens can stop; the method may or may not have run.
     *
     * @param handler the one that takes the end of the call
     */
    void cancel(ResponseHandler handler);

    /**
     * Tells whether the session lives.
     *
     * @return false once the session has ended
     */
    boolean isOpen();

    /**
     * Tells whether calls can start. A server that is stopping says so before it ends the session: calls that have arrived
     * there go on, others fail with {@link RdmaNotExecutedException} and belong on another session of the channel.
     *
     * @return false once the session has ended, and while its server is stopping
     */
    default boolean takesCalls() {
        return isOpen();
    }

    /**
     * Counts the calls that have begun and not ended, those that wait for the window included. What chooses between
     * sessions looks at it.
     *
     * @return 0 when idle
     */
    int callsInFlight();

    /**
     * Counts the streams that were opened and are not over.
     *
     * @return 0 without streams
     */
    int openStreams();

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
