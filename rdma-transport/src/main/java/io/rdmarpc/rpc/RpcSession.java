package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.rpc.stats.RoundTripStatistics;

/**
 * An open session to one peer. It ends if the peer dies or closes it; the channel then opens another one. Thread-safe.
 */
public interface RpcSession extends MessageAllocator {

    /**
     * Calls a method.
     *
     * @param methodId the method, see {@link ServiceContract#methodId}
     * @param request the arguments; owned by the engine from this call on, also if the call fails
     * @param timeoutNanos how long the call may take, in nanoseconds, over 0
     * @param handler receives the result
     */
    void call(int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler);

    /**
     * Calls a method, with a start time that the caller has already read from the clock. Reading the clock twice would
     * be a measurable part of a call.
     *
     * @param methodId the method, see {@link ServiceContract#methodId}
     * @param request the arguments; owned by the engine from this call on, also if the call fails
     * @param startNanos the start time, from {@link System#nanoTime}
     * @param timeoutNanos how long the call may take from the start time, in nanoseconds, over 0
     * @param handler receives the result
     */
    default void call(
            int methodId, MessageBuffer request, long startNanos, long timeoutNanos, ResponseHandler handler) {
        call(methodId, request, Math.max(1, timeoutNanos - (System.nanoTime() - startNanos)), handler);
    }

    /**
     * Calls a method for a thread that blocks until the result. A platform thread runs the event loop itself meanwhile,
     * as {@link RpcCall#call} does. It does so only if this process serves no methods, because the thread would
     * otherwise run code of other callers. This method may return before the call has ended; the caller must then
     * continue to wait.
     *
     * @param methodId the method, see {@link ServiceContract#methodId}
     * @param request the arguments; owned by the engine from this call on, also if the call fails
     * @param startNanos the start time, from {@link System#nanoTime()}
     * @param timeoutNanos how long the call may take from the start time, in nanoseconds, over 0
     * @param handler receives the result and unparks this thread
     */
    default void callAndWait(
            int methodId, MessageBuffer request, long startNanos, long timeoutNanos, AwaitedResponseHandler handler) {
        call(methodId, request, startNanos, timeoutNanos, handler);
    }

    /**
     * Creates a reusable call that needs no allocation.
     *
     * @param end notified each time the call ends, on the thread that runs the event loop
     * @return the call, owned by the caller
     */
    RpcCall prepareCall(RpcCall.End end);

    /**
     * Opens a stream. Messages may be offered once the server has accepted the stream and granted credits.
     *
     * @param methodId a method that accepts streams, see {@link RpcRequest#acceptStream}
     * @param credits messages that the server may send before {@link RpcStream#request}, 0 to {@link
     *     RpcStream#MAX_CREDITS}
     * @param timeoutNanos lifetime of the stream in nanoseconds, over 0
     * @param receiver receives the server's messages and the end of the stream
     * @return this end of the stream
     * @throws RdmaBackpressureException if the session has its maximum number of streams, or no memory is free
     * @throws RdmaUnavailableException if the session has ended
     */
    RpcStream openStream(int methodId, int credits, long timeoutNanos, StreamReceiver receiver);

    /**
     * Cancels a call in any state: waiting for a slot, in flight, or while its response is fetched. Its handler
     * receives {@link RpcStatus#CANCELLED}. If the call has ended already, nothing happens. The server is notified, so
     * that a handler can stop. The method may or may not have run.
     *
     * @param handler the handler of the call
     */
    void cancel(ResponseHandler handler);

    /**
     * Returns whether the session is open.
     *
     * @return false once the session has ended
     */
    boolean isOpen();

    /**
     * Returns whether new calls belong on this session. A stopping server announces this before it ends the session.
     * Calls that the server has received continue. Other calls fail with {@link RdmaNotExecutedException} and belong on
     * another session of the channel. If the channel has replaced the session to use other engines, calls on it still
     * run; the session ends when it has been idle for a while.
     *
     * @return false once the session has ended or was replaced, and while its server is stopping
     */
    default boolean takesCalls() {
        return isOpen();
    }

    /**
     * Returns the number of calls that have begun and not ended, including those that wait for the window. Load
     * balancers compare it.
     *
     * @return 0 if idle
     */
    int callsInFlight();

    /**
     * Returns the number of open streams.
     *
     * @return 0 without streams
     */
    int openStreams();

    /**
     * Returns the session's parameters.
     *
     * @return the negotiated values
     */
    SessionInfo info();

    /**
     * Returns the round-trip statistics of the session's calls.
     *
     * @return a snapshot
     */
    RoundTripStatistics roundTrips();
}
