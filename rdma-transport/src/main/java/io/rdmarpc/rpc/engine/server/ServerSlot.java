package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The last call of a slot at the server. It ensures that a call runs at most once. It retains the response until the
 * client's next call in the slot shows that the response has arrived.
 *
 * <pre>
 *   IDLE -> (READING ->) EXECUTING -> RESPONDED (-> RELEASED)
 *                        EXECUTING -> RELEASED             cancelled or timed out: the response will be dropped
 *             READING -> RELEASED                          cancelled or timed out: not executed
 *                        any of these except READING -> the next call
 * </pre>
 *
 * Engine thread only.
 */
@SuppressWarnings("EnumOrdinal") // the numbers stay within this class
public final class ServerSlot {

    /** The state of the call. */
    public enum State {
        IDLE,
        READING,
        EXECUTING,
        RESPONDED,
        RELEASED;

        private static final State[] ALL = values();
    }

    /** Maximum payload of a response that is retained as a copy, which fills four cache lines with its array. */
    public static final int MAX_COPY_BYTES = 240;

    private static final int ARRAY_HEADER_BYTES = 16;
    private static final int CACHE_LINE_BYTES = 64;
    private static final byte[] NOTHING = {};
    private static final int NO_COPY = -1;
    private static final int STATUS_SHIFT = 8;
    private static final int FLAGS_SHIFT = 16;
    private static final int BYTE_MASK = 0xFF;

    long requestIndex;
    /** Number of the state. With G1, storing a reference costs a fence, and a call changes its state several times. */
    private int state = State.IDLE.ordinal();

    /** The call that is running, which is notified when its caller cancels. */
    @Nullable
    IncomingCall call;
    /** The time at which the whole request had arrived. */
    long completeNanos;
    /** Whether the caller cancelled while the arguments were being READ. */
    boolean cancelled;

    /** The packet of a response that is not retained as a copy. */
    @Nullable
    public OutgoingPacket response;

    /**
     * The payload of a short response. A packet would pin a block of the path MTU until the client's next call. With
     * thousands of sessions that memory would not fit into the caches. The array is reused by later responses.
     */
    private byte[] copy = NOTHING;

    /** Length, status and flags of the copied response, a byte each; {@link #NO_COPY} without one. */
    private int copied = NO_COPY;

    /** Memory of a large response, which the client READs. */
    @Nullable
    public RegisteredBlock lent;
    /** The time at which a large response was last sent. */
    long sentNanos;

    ServerSlot(long firstIndexMinusWindow) {
        this.requestIndex = firstIndexMinusWindow;
    }

    /**
     * Returns whether a stopping server has to wait for this slot: its call runs, or the client has not released a
     * large response.
     */
    boolean isUnfinished() {
        return is(State.EXECUTING) || is(State.READING) || lent != null;
    }

    public State state() {
        return State.ALL[state];
    }

    public boolean is(State expected) {
        return state == expected.ordinal();
    }

    /** Returns whether the call with that index runs, or waits until its response can be sent. */
    boolean isExecuting(long index) {
        return requestIndex == index && is(State.EXECUTING);
    }

    void become(State next) {
        state = next.ordinal();
    }

    /** Retains a response as a copy; returns false if it is too long. */
    boolean retainCopy(RpcStatus status, int flags, MemorySegment message, long at, int length) {
        if (length > MAX_COPY_BYTES) {
            return false;
        }
        if (copy.length < length) {
            int lines = Math.ceilDiv(ARRAY_HEADER_BYTES + length, CACHE_LINE_BYTES);
            copy = new byte[lines * CACHE_LINE_BYTES - ARRAY_HEADER_BYTES];
        }
        MemorySegment.copy(message, ValueLayout.JAVA_BYTE, at, copy, 0, length);
        copied = length | status.code() << STATUS_SHIFT | flags << FLAGS_SHIFT;
        return true;
    }

    /** Returns whether the response is retained as a copy. */
    boolean hasCopy() {
        return copied != NO_COPY;
    }

    /** Writes the copied payload; returns its length. */
    int writeCopy(MemorySegment target, long at) {
        int length = copied & BYTE_MASK;
        MemorySegment.copy(copy, 0, target, ValueLayout.JAVA_BYTE, at, length);
        return length;
    }

    RpcStatus copyStatus() {
        return RpcStatus.of(copied >>> STATUS_SHIFT & BYTE_MASK);
    }

    int copyFlags() {
        return copied >>> FLAGS_SHIFT;
    }

    void dropCopy() {
        copied = NO_COPY;
    }

    /** Returns whether the response of the last call is retained. */
    public boolean hasResponse() {
        return response != null || hasCopy();
    }
}
