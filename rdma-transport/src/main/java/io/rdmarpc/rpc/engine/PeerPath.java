package io.rdmarpc.rpc.engine;

import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;

/** The way to one peer and when it may be given up. The address handle is the control side's to close. Engine thread only. */
final class PeerPath {

    final UdEndpoint endpoint;
    final AddressHandle addressHandle;
    /** Number of the last datagram sent here; the handle is free once that one is complete. */
    long lastSend;
    /** Packets to here that wait for room in the send queue. */
    int stalled;

    PeerPath(UdEndpoint endpoint, AddressHandle addressHandle) {
        this.endpoint = endpoint;
        this.addressHandle = addressHandle;
    }
}
