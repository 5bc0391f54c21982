package io.rdmarpc.transport;

/**
 * Sizes of the datagram transport.
 *
 * @param sendDepth datagrams posted and not yet complete
 * @param receiveDepth packets that can arrive before the engine looks; also the most sessions, each of which owns one
 * @param inlineBytes longest packet sent inline, {@value #AUTO_INLINE} for what the device offers up to 256
 * @param pollBatch completions taken from the device at a time
 * @param postBatch packets, and receives given back, that are handed to the device with one call
 */
public record UdConfig(int sendDepth, int receiveDepth, int inlineBytes, int pollBatch, int postBatch) {

    /** Take what the device offers. */
    public static final int AUTO_INLINE = -1;

    /** Default: datagrams posted and not yet complete. */
    public static final int DEFAULT_SEND_DEPTH = 256;

    /** Default: packets that can arrive before the engine looks. */
    public static final int DEFAULT_RECEIVE_DEPTH = 1024;

    /** Default: completions, packets and receives that are handled with one call. */
    public static final int DEFAULT_BATCH = 16;

    /** 256 sends, 1024 receives (4.3 MB at an MTU of 4096: within a memlock limit of 8 MiB), inline as offered. */
    public static final UdConfig DEFAULTS = new UdConfig(DEFAULT_SEND_DEPTH, DEFAULT_RECEIVE_DEPTH, AUTO_INLINE);

    /**
     * Takes batches of 16.
     *
     * @param sendDepth datagrams posted and not yet complete
     * @param receiveDepth packets that can arrive before the engine looks
     * @param inlineBytes longest packet sent inline
     */
    public UdConfig(int sendDepth, int receiveDepth, int inlineBytes) {
        this(sendDepth, receiveDepth, inlineBytes, DEFAULT_BATCH, DEFAULT_BATCH);
    }
}
