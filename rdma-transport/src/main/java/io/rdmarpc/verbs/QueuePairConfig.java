package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import org.jspecify.annotations.Nullable;

/**
 * What a queue pair is created with ({@code struct ibv_qp_init_attr}). The device may grant more than asked:
 * {@link QueuePair#capabilities()} tells.
 *
 * @param type the transport service
 * @param sendCq where sends complete
 * @param receiveCq where receives complete; may be the same
 * @param capabilities the queue sizes wanted; those of the receive queue do not count with a shared one
 * @param signalAll whether every send makes a completion whatever its flags
 * @param sharedReceiveQueue where receives are taken from, or null for an own receive queue
 * @param checked whether work requests are looked at before they are posted, so that a mistake is an exception that
 *     names it; costs some 10 ns each
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
     * Describes a queue pair with its own receive queue and with checks.
     *
     * @param type the transport service
     * @param sendCq where sends complete
     * @param receiveCq where receives complete; may be the same
     * @param capabilities the queue sizes wanted
     * @param signalAll whether every send makes a completion whatever its flags
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
     * Takes receives from a shared queue.
     *
     * @param queue the queue, of the same protection domain
     * @return the changed description
     */
    public QueuePairConfig withSharedReceiveQueue(SharedReceiveQueue queue) {
        return new QueuePairConfig(type, sendCq, receiveCq, capabilities, signalAll, queue, checked);
    }

    /**
     * Posts without looking: for callers that check where they make their requests.
     *
     * @return the changed description
     */
    public QueuePairConfig unchecked() {
        return new QueuePairConfig(type, sendCq, receiveCq, capabilities, signalAll, sharedReceiveQueue, false);
    }
}
