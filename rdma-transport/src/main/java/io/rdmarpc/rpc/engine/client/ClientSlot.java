package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.packet.OutgoingPacket;
import org.jspecify.annotations.Nullable;

/**
 * One call in flight at the client.
 *
 * <pre>
 *   FREE -> SENT -> FREE                        small result, failure, or timeout of a small request
 *           SENT -> READING -> FREE             large result
 *           SENT -> ABANDONED -> FREE           timeout of a large request: the server may still READ it, so
 *                                               its memory is kept until the server has reported that it
 *                                               has READ it, or will not
 * </pre>
 *
 * Engine thread only.
 */
@SuppressWarnings("EnumOrdinal") // the numbers stay within this class
public final class ClientSlot {

    /** The state of the call. */
    public enum State {
        FREE,
        SENT,
        READING,
        ABANDONED;

        private static final State[] ALL = values();
    }

    /** Index of the current or last call; the next index is larger by the window. */
    long requestIndex;

    /** Number of the state. With G1, storing a reference costs a fence, and a call changes its state several times. */
    private int state = State.FREE.ordinal();

    @Nullable
    public Call call;

    @Nullable
    public OutgoingPacket packet;
    /** Memory of a large request, which the server READs. */
    @Nullable
    public RegisteredBlock lent;

    long sentNanos;
    long retransmitNanos;
    long timeoutNanos;
    /** Index of the next free slot in the session's list, while this slot is free. */
    int nextFree;
    /** Number of sends since the last packet from the server. */
    int sends;
    /** Whether the request was sent more than once. Its response then does not measure the round trip. */
    boolean retransmitted;
    /** Whether the server has reported that it has received the request. */
    boolean known;

    /** Creates the slot of that index, which is followed by the next one in the list of free slots. */
    ClientSlot(int index) {
        this.requestIndex = index;
        this.nextFree = index + 1;
    }

    /** Begins a call whose request was sent. */
    void begin(Call begun, OutgoingPacket sent, long timeout, long nowNanos) {
        call = begun;
        packet = sent;
        become(State.SENT);
        sentNanos = nowNanos;
        timeoutNanos = timeout;
        retransmitNanos = nowNanos + timeout;
        sends = 1;
        retransmitted = false;
        known = false;
    }

    State state() {
        return State.ALL[state];
    }

    public boolean is(State expected) {
        return state == expected.ordinal();
    }

    void become(State next) {
        state = next.ordinal();
    }
}
