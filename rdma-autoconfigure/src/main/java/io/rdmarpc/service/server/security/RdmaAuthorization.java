package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;

/**
 * Decides which peers may call a service. All beans of this type must permit a call. A decision is cached and usually
 * requested once for each session and service. It runs on a polling thread or on the thread of the control
 * connections, so it must be fast and not block. It must return the same result throughout a session. It runs before
 * a call uses memory, a READ or a thread. A peer without permission cannot see the service's methods, or its name in
 * lists of services.
 */
@FunctionalInterface
public interface RdmaAuthorization {

    /**
     * Decides whether a peer may call a service.
     *
     * @param service the service's name
     * @param peer the caller; it has certificates if TLS requests them
     * @return whether it may call the service
     */
    boolean allows(String service, PeerIdentity peer);
}
