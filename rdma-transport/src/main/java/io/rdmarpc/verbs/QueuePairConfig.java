package io.rdmarpc.verbs;

/**
 * What a queue pair is created with ({@code struct ibv_qp_init_attr}). The device may grant more than asked:
 * {@link QueuePair#capabilities()} tells.
 *
 * @param type the transport service
 * @param sendCq where sends complete
 * @param receiveCq where receives complete; may be the same
 * @param capabilities the queue sizes wanted
 * @param signalAll whether every send makes a completion whatever its flags
 */
public record QueuePairConfig(
        QueuePairType type,
        CompletionQueue sendCq,
        CompletionQueue receiveCq,
        QueuePairCapabilities capabilities,
        boolean signalAll) {}
