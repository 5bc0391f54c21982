package io.rdmarpc.transport;

/**
 * Sizes of the datagram transport.
 *
 * @param sendDepth datagrams posted and not yet complete
 * @param receiveDepth packets that can arrive before the engine looks; also the sum of all sessions' windows
 * @param inlineBytes longest packet sent inline, {@value #AUTO_INLINE} for what the device offers up to 256
 */
public record UdConfig(int sendDepth, int receiveDepth, int inlineBytes) {

    /** Take what the device offers. */
    public static final int AUTO_INLINE = -1;

    /** 256 sends, 2048 receives, inline as the device offers. */
    public static final UdConfig DEFAULTS = new UdConfig(256, 2048, AUTO_INLINE);
}
