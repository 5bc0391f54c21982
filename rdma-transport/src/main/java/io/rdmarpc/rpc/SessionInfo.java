package io.rdmarpc.rpc;

/**
 * The parameters that two peers negotiated for a session.
 *
 * @param identity the peer's identity
 * @param provider the local verbs provider
 * @param device the local device
 * @param pathMtuBytes payload bytes of one packet
 * @param window maximum number of calls in flight
 * @param maxMessageBytes longest message in bytes
 */
public record SessionInfo(
        PeerIdentity identity, String provider, String device, int pathMtuBytes, int window, int maxMessageBytes) {

    /**
     * Describes a session with a peer that is identified only by its address.
     *
     * @param peer the peer's control address
     * @param provider the local verbs provider
     * @param device the local device
     * @param pathMtuBytes payload bytes of one packet
     * @param window maximum number of calls in flight
     * @param maxMessageBytes longest message in bytes
     */
    public SessionInfo(String peer, String provider, String device, int pathMtuBytes, int window, int maxMessageBytes) {
        this(PeerIdentity.ofAddress(peer), provider, device, pathMtuBytes, window, maxMessageBytes);
    }

    /**
     * Returns the peer's address.
     *
     * @return its control address
     */
    public String peer() {
        return identity.address();
    }
}
