package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of a new queue pair ({@code struct ibv_qp_init_attr}). The device may grant larger queues: see
 * {@link QueuePair#capabilities()}.
 *
 * @param type the transport service
 * @param sendCq the completion queue of sends
 * @param receiveCq the completion queue of receives; may be the same
 * @param capabilities the requested queue sizes; those of the receive queue are ignored with a shared receive queue
 * @param signalAll whether every send has a completion, regardless of its flags
 * @param sharedReceiveQueue the shared receive queue to use, or null for a separate receive queue
 * @param checked whether work requests are checked before they are posted. An invalid request then throws an exception
 *     that explains it. A check costs about 10 ns for each request
 */
public record QueuePairConfig(
        QueuePairType type,
        CompletionQueue sendCq,
        CompletionQueue receiveCq,
        QueuePairCapabilities capabilities,
        boolean signalAll,
        @Nullable SharedReceiveQueue sharedReceiveQueue,
        boolean checked) {

    /**
     * Describes a queue pair with a separate receive queue and with checks.
     *
     * @param type the transport service
     * @param sendCq the completion queue of sends
     * @param receiveCq the completion queue of receives; may be the same
     * @param capabilities the requested queue sizes
     * @param signalAll whether every send has a completion, regardless of its flags
     */
    public QueuePairConfig(
            QueuePairType type,
            CompletionQueue sendCq,
            CompletionQueue receiveCq,
            QueuePairCapabilities capabilities,
            boolean signalAll) {
        this(type, sendCq, receiveCq, capabilities, signalAll, null, true);
    }

    /**
     * Configures a shared receive queue.
     *
     * @param queue the queue, of the same protection domain
     * @return the changed description
     */
    public QueuePairConfig withSharedReceiveQueue(SharedReceiveQueue queue) {
        return new QueuePairConfig(type, sendCq, receiveCq, capabilities, signalAll, queue, checked);
    }

    /**
     * Disables the checks of work requests, for callers that check their requests when they create them.
     *
     * @return the changed description
     */
    public QueuePairConfig unchecked() {
        return new QueuePairConfig(type, sendCq, receiveCq, capabilities, signalAll, sharedReceiveQueue, false);
    }
}
