package io.rdmarpc.verbs.attributes;

/**
 * Sizes of a queue pair ({@code struct ibv_qp_cap}).
 *
 * @param maxSendWr maximum number of outstanding sends
 * @param maxReceiveWr maximum number of outstanding receives
 * @param maxSendSge maximum number of scatter/gather entries of a send
 * @param maxReceiveSge maximum number of scatter/gather entries of a receive
 * @param maxInlineBytes maximum size of an inline payload
 */
public record QueuePairCapabilities(
        int maxSendWr, int maxReceiveWr, int maxSendSge, int maxReceiveSge, int maxInlineBytes) {}
