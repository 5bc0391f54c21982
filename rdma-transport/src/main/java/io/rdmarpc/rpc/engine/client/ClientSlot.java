package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import org.jspecify.annotations.Nullable;

/**
 * One call in flight at the client.
 *
 * <pre>
 *   FREE -> SENT -> FREE                        small result, failure, or time-out of a small request
 *           SENT -> READING -> FREE             large result
 *           SENT -> ABANDONED -> FREE           time-out of a large request: the server may still READ it, so its
 *                                               memory waits until the server says that it has, or will not
 * </pre>
 *
 * Engine thread only.
 */
@SuppressWarnings("EnumOrdinal") // the numbers stay here
public final class ClientSlot {

    /** Where the call is. */
    public enum State {
        FREE,
        SENT,
        READING,
        ABANDONED;

        private static final State[] ALL = values();
    }

    /** Index of the current call, or of the last one; the next one is a window further. */
    long requestIndex;

    /** Number of the state: to store a reference costs a fence with G1, and a call changes its state several times. */
    private int state = State.FREE.ordinal();

    @Nullable
    public Call call;

    @Nullable
    public OutgoingPacket packet;
    /** Memory of a large request that the server READs. */
    @Nullable
    public RegisteredBlock lent;

    long sentNanos;
    long retransmitNanos;
    long timeoutNanos;
    /** Sends since the last sign of life. */
    int sends;
    /** Sent more than once: its answer tells nothing about the round trip. */
    boolean repeated;
    /** The server has said that it knows the call. */
    boolean known;

    ClientSlot(long firstIndexMinusWindow) {
        this.requestIndex = firstIndexMinusWindow;
    }

    /** Its call is on the way. */
    void begin(Call begun, OutgoingPacket sent, long timeout, long nowNanos) {
        call = begun;
        packet = sent;
        become(State.SENT);
        sentNanos = nowNanos;
        timeoutNanos = timeout;
        retransmitNanos = nowNanos + timeout;
        sends = 1;
        repeated = false;
        known = false;
    }

    State state() {
        return State.ALL[state];
    }

    public boolean is(State asked) {
        return state == asked.ordinal();
    }

    void become(State next) {
        state = next.ordinal();
    }
}
