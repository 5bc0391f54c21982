package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import org.jspecify.annotations.Nullable;

/**
 * The last call of a slot at the server: it makes execution at-most-once and keeps the answer until the client's next
 * call in the slot shows that it has arrived.
 *
 * <pre>
 *   IDLE -> (READING ->) EXECUTING -> ANSWERED (-> RELEASED)
 *                        EXECUTING -> RELEASED             the caller gave up: the answer will be dropped
 *             READING -> RELEASED                          the caller gave up: not executed
 *                        any of these -> the next call, but READING
 * </pre>
 *
 * Engine thread only.
 */
@SuppressWarnings("EnumOrdinal") // the numbers stay here
public final class ServerSlot {

    /** Where the call is. */
    public enum State {
        IDLE,
        READING,
        EXECUTING,
        ANSWERED,
        RELEASED;

        private static final State[] ALL = values();
    }

    long requestIndex;
    /** The last request that is run here; a later one is answered that it was not. Set when the server is stopping. */
    long lastIndex = Long.MAX_VALUE;
    /** Number of the state: to store a reference costs a fence with G1, and a call changes its state several times. */
    private int state = State.IDLE.ordinal();

    /** The call that is being executed, to be told when its caller gives up. */
    @Nullable
    IncomingCall call;
    /** When all of the request was here. */
    long completeNanos;
    /** The caller gave up while the arguments were being READ. */
    boolean cancelled;

    @Nullable
    public OutgoingPacket answer;
    /** Memory of a large answer that the client READs. */
    @Nullable
    public RegisteredBlock lent;
    /** When a large answer was sent last. */
    long answeredNanos;

    ServerSlot(long firstIndexMinusWindow) {
        this.requestIndex = firstIndexMinusWindow;
    }

    /** Tells whether the client waits for something that a server which is stopping still owes it. */
    boolean isAnswering() {
        return is(State.EXECUTING) || is(State.READING) || lent != null;
    }

    public State state() {
        return State.ALL[state];
    }

    public boolean is(State asked) {
        return state == asked.ordinal();
    }

    /** Tells whether that very call runs, or waits for its answer to leave. */
    boolean isExecuting(long index) {
        return requestIndex == index && is(State.EXECUTING);
    }

    void become(State next) {
        state = next.ordinal();
    }
}
