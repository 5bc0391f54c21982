package io.rdmarpc.transport;

/**
 * Sizes of the datagram transport.
 *
 * @param sendDepth datagrams posted and not yet complete
 * @param receiveDepth packets that can arrive before the engine looks; also the most sessions, each of which owns one
 * @param inlineBytes longest packet sent inline, {@value #AUTO_INLINE} for what the device offers up to 256
 */
public record UdConfig(int sendDepth, int receiveDepth, int inlineBytes) {

    /** Take what the device offers. */
    public static final int AUTO_INLINE = -1;

    /** 256 sends, 1024 receives (4.3 MB at an MTU of 4096: within a memlock limit of 8 MiB), inline as offered. */
    public static final UdConfig DEFAULTS = new UdConfig(256, 1024, AUTO_INLINE);
}
