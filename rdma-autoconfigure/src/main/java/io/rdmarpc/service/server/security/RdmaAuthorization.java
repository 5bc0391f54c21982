package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;

/**
 * Says which peers may call a service. Every bean of this type must agree. Asked once for each session and service as long
 * as its decision is remembered, on a polling thread or on the thread of the control connections: it must be quick, never
 * block, and answer the same way for the life of a session. It is asked before a call costs memory, a READ or a thread. A
 * peer that may not call a service does not learn its methods, nor its name from lists of services.
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
