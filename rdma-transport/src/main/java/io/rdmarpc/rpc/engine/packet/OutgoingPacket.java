package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.memory.RegisteredBlock;
import org.jspecify.annotations.Nullable;

/**
 * A datagram and the memory from which it is sent. The memory is freed only when no work request refers to it. A slot
 * can therefore continue while the NIC still holds an earlier copy of its packet. Pooled by {@link Transmitter}; engine
 * thread only.
 */
public final class OutgoingPacket {

    @Nullable
    PeerPath path;

    @Nullable
    public RegisteredBlock block;

    public long address;
    int length;
    /** Number of the last send of this packet, 0 if it was never posted. */
    long lastSend;
    /** Whether the packet waits in a batch for the flush. */
    boolean batched;
    /** Whether the packet waits for room in the send queue. */
    boolean stalled;
    /** Whether the owner has released the packet. */
    public boolean released;
    /** Whether the packet has no owner: it is sent once and is then free. */
    boolean unowned;

    /** Avoids a store if the path is unchanged, as for most packets: with G1, storing a reference costs a fence. */
    void usePath(PeerPath newPath) {
        if (path != newPath) {
            path = newPath;
        }
    }

    /** Sets another message on the same path. The NIC no longer uses the previous one. */
    public void carry(RegisteredBlock message, long offset, int bytes) {
        block = message;
        address = message.address() + offset;
        length = bytes;
    }

    /** Clears everything except the path. */
    void clear() {
        block = null;
        address = 0;
        length = 0;
        lastSend = 0;
        batched = false;
        stalled = false;
        released = false;
        unowned = false;
    }
}
