package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;
import org.jspecify.annotations.Nullable;

/**
 * The path to one peer, and the state that determines when it can be removed. The control side closes the address
 * handle. Engine thread only.
 */
public final class PeerPath {

    final UdEndpoint endpoint;
    final AddressHandle addressHandle;
    final int mtuBytes;
    /** Number of the last datagram sent on this path; the address handle is free once that datagram is complete. */
    long lastSend;
    /** Number of packets on this path that wait for the flush or for room in the send queue. */
    int waiting;

    /** The batch of messages to the same peer; null until a message was sent. */
    @Nullable
    PacketBatch batch;

    public PeerPath(UdEndpoint endpoint, AddressHandle addressHandle, int mtuBytes) {
        this.endpoint = endpoint;
        this.addressHandle = addressHandle;
        this.mtuBytes = mtuBytes;
    }
}
