package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;
import org.jspecify.annotations.Nullable;

/** The way to one peer and when it may be given up. The address handle is the control side's to close. Engine thread only. */
public final class PeerPath {

    final UdEndpoint endpoint;
    final AddressHandle addressHandle;
    final int mtuBytes;
    /** Number of the last datagram sent here; the handle is free once that one is complete. */
    long lastSend;
    /** Packets to here that wait for the flush or for room in the send queue. */
    int waiting;

    /** What leaves for the same peer at the same time; known once something was sent. */
    @Nullable
    PacketBatch batch;

    public PeerPath(UdEndpoint endpoint, AddressHandle addressHandle, int mtuBytes) {
        this.endpoint = endpoint;
        this.addressHandle = addressHandle;
        this.mtuBytes = mtuBytes;
    }
}
