package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.memory.RegisteredBlock;
import org.jspecify.annotations.Nullable;

/**
 * A datagram and the memory it is sent from. The memory goes back only when no work request refers to it, so a slot can
 * move on while an old copy of its packet is still at the NIC. Pooled by {@link Transmitter}; engine thread only.
 */
public final class OutgoingPacket {

    @Nullable
    PeerPath path;

    @Nullable
    public RegisteredBlock block;

    public long address;
    int length;
    /** Number of the last time it was posted, 0 when never. */
    long lastSend;
    /** Waits for the flush. */
    boolean batched;
    /** Waits for room in the send queue. */
    boolean stalled;
    /** Its owner is done with it. */
    public boolean released;
    /** Has no owner: it is sent once and then free. */
    boolean once;

    /** Most go where the last one has gone: to store a reference costs a fence with G1. */
    void goesOn(PeerPath way) {
        if (path != way) {
            path = way;
        }
    }

    /** Another message the same way. The one before has left. */
    public void carry(RegisteredBlock message, long offset, int bytes) {
        block = message;
        address = message.address() + offset;
        length = bytes;
    }

    /** All but its way. */
    void clear() {
        block = null;
        address = 0;
        length = 0;
        lastSend = 0;
        batched = false;
        stalled = false;
        released = false;
        once = false;
    }
}
