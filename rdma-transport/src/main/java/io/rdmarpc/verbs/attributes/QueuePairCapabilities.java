package io.rdmarpc.verbs.attributes;

/**
 * Sizes of a queue pair ({@code struct ibv_qp_cap}).
 *
 * @param maxSendWr outstanding send work requests
 * @param maxReceiveWr outstanding receives
 * @param maxSendSge scatter/gather entries of a send
 * @param maxReceiveSge scatter/gather entries of a receive
 * @param maxInlineBytes longest payload that can be sent inline
 */
public record QueuePairCapabilities(
        int maxSendWr, int maxReceiveWr, int maxSendSge, int maxReceiveSge, int maxInlineBytes) {}
