package io.rdmarpc.service.server;

import io.rdmarpc.rpc.PeerIdentity;

/**
 * Says which peers may call a service. Every bean of this type must agree. Asked once for each session and service as long
 * as its decision is remembered, on the polling thread: it must be quick, never block, and answer the same way for the
 * life of a session.
 */
@FunctionalInterface
public interface RdmaAuthorization {

    /**
     * Decides about a peer.
     *
     * @param service the service's name
     * @param peer who calls; it has certificates where TLS asks for them
     * @return whether it may call the service
     */
    boolean allows(String service, PeerIdentity peer);
}
