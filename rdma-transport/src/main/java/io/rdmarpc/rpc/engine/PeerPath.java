package io.rdmarpc.rpc.engine;

import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.AddressHandle;

/** The way to one peer and what it costs to give it up. Engine thread only, but for closing. */
final class PeerPath implements AutoCloseable {

    final UdEndpoint endpoint;
    final AddressHandle addressHandle;
    /** Number of the last datagram sent here; the handle is free once that one is complete. */
    long lastSend;

    PeerPath(UdEndpoint endpoint, AddressHandle addressHandle) {
        this.endpoint = endpoint;
        this.addressHandle = addressHandle;
    }

    @Override
    public void close() {
        addressHandle.close();
    }
}
