package io.rdmarpc.transport;

/**
 * Sizes of the datagram transport.
 *
 * @param sendDepth maximum number of datagrams that are posted and not yet complete
 * @param receiveDepth maximum number of packets that can arrive between two polls; also the maximum number of sessions,
 *     each of which owns one receive
 * @param inlineBytes maximum length of a packet that is sent inline; {@value #AUTO_INLINE} for the device's limit, up
 *     to 256
 * @param pollBatch maximum number of completions that one poll reads from the device
 * @param postBatch maximum number of packets, or of released receives, that are posted with one call
 */
public record UdConfig(int sendDepth, int receiveDepth, int inlineBytes, int pollBatch, int postBatch) {

    /** Value of the inline length that uses the device's limit. */
    public static final int AUTO_INLINE = -1;

    /** Default: maximum number of datagrams that are posted and not yet complete. */
    public static final int DEFAULT_SEND_DEPTH = 256;

    /** Default: maximum number of packets that can arrive between two polls. */
    public static final int DEFAULT_RECEIVE_DEPTH = 1024;

    /** Default: maximum number of completions, packets or receives that one call handles. */
    public static final int DEFAULT_BATCH = 16;

    /**
     * 256 sends, 1024 receives (4.3 MB at an MTU of 4096, which is within a memlock limit of 8 MiB), and the device's
     * inline length.
     */
    public static final UdConfig DEFAULTS = new UdConfig(DEFAULT_SEND_DEPTH, DEFAULT_RECEIVE_DEPTH, AUTO_INLINE);

    /**
     * Creates sizes with batches of 16.
     *
     * @param sendDepth maximum number of datagrams that are posted and not yet complete
     * @param receiveDepth maximum number of packets that can arrive between two polls
     * @param inlineBytes maximum length of a packet that is sent inline
     */
    public UdConfig(int sendDepth, int receiveDepth, int inlineBytes) {
        this(sendDepth, receiveDepth, inlineBytes, DEFAULT_BATCH, DEFAULT_BATCH);
    }
}
