package io.rdmarpc.rpc;

/**
 * What two peers negotiated.
 *
 * @param peer the peer's control address
 * @param provider the local verbs provider
 * @param device the local device
 * @param pathMtuBytes payload bytes of one packet
 * @param window calls in flight at a time
 * @param maxMessageBytes longest message
 */
public record SessionInfo(
        String peer, String provider, String device, int pathMtuBytes, int window, int maxMessageBytes) {}
