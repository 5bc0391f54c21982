package io.rdmarpc.rpc;

/**
 * What two peers negotiated.
 *
 * @param identity who the peer is
 * @param provider the local verbs provider
 * @param device the local device
 * @param pathMtuBytes payload bytes of one packet
 * @param window calls in flight at a time
 * @param maxMessageBytes longest message
 */
public record SessionInfo(
        PeerIdentity identity, String provider, String device, int pathMtuBytes, int window, int maxMessageBytes) {

    /**
     * Describes a session with a peer of which only the address is known.
     *
     * @param peer the peer's control address
     * @param provider the local verbs provider
     * @param device the local device
     * @param pathMtuBytes payload bytes of one packet
     * @param window calls in flight at a time
     * @param maxMessageBytes longest message
     */
    public SessionInfo(String peer, String provider, String device, int pathMtuBytes, int window, int maxMessageBytes) {
        this(PeerIdentity.ofAddress(peer), provider, device, pathMtuBytes, window, maxMessageBytes);
    }

    /**
     * Returns where the peer is.
     *
     * @return its control address
     */
    public String peer() {
        return identity.address();
    }
}
