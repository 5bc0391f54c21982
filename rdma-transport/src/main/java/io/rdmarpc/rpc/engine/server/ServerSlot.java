package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
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

    long requestIndex;
    /** The last request that the server runs in this slot; it rejects later ones. Set when the server is stopping. */
    long lastIndex = Long.MAX_VALUE;
    /** Number of the state. With G1, storing a reference costs a fence, and a call changes its state several times. */
    private int state = State.IDLE.ordinal();

    /** The call that is running, which is notified when its caller cancels. */
    @Nullable
    IncomingCall call;
    /** The time at which the whole request had arrived. */
    long completeNanos;
    /** Whether the caller cancelled while the arguments were being READ. */
    boolean cancelled;

    @Nullable
    public OutgoingPacket response;
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
}
