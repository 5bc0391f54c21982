package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import org.jspecify.annotations.Nullable;

/**
 * A queue of work completions ({@code struct ibv_cq}). Any thread may poll it, with a {@link WorkCompletions} of its
 * own.
 */
public interface CompletionQueue extends AutoCloseable {

    /**
     * Removes completions from the queue; never blocks. On the software RNIC this call also runs the protocol.
     *
     * <p>A queue that is overrun loses completions. Completions that are still in the queue can be polled. The software
     * RNIC then returns {@code -EIO}. Other devices may report the overrun by {@link AsyncEventType#CQ_ERR} only, as
     * rxe does. Size the queue for all work requests that may complete in it.
     *
     * @param into receives the completions, from entry 0
     * @param max maximum number of completions, up to the array's capacity
     * @return the number of completions removed, or a negative error number, such as {@code -EINVAL} if the queue is
     *     closed
     */
    int poll(WorkCompletions into, int max);

    /**
     * Returns the maximum number of completions in the queue.
     *
     * @return the capacity granted by the device
     */
    int capacity();

    /**
     * Requests one event on the {@linkplain #channel() channel} for the next completion ({@code ibv_req_notify_cq}).
     * Completions that are already in the queue cause no event: poll again after this call.
     *
     * @param solicitedOnly whether only solicited messages and failures cause the event
     * @return 0 or an error number: {@link Errno#EINVAL} if the queue is closed or has no channel,
     *     {@link Errno#EOPNOTSUPP} if the provider has no channels
     */
    default int requestNotification(boolean solicitedOnly) {
        return Errno.EOPNOTSUPP;
    }

    /**
     * Changes the capacity ({@code ibv_resize_cq}). Completions in the queue are kept.
     *
     * @param entries the number of completions that must fit, at least those now in the queue
     * @return the capacity granted
     * @throws RdmaVerbsException if the device rejects the request
     */
    default int resize(int entries) {
        throw RdmaVerbsException.notSupported(
                "ibv_resize_cq", "", "This provider cannot resize a queue: create another");
    }

    /**
     * Returns the channel that receives this queue's events.
     *
     * @return the channel given at creation, or null
     */
    default @Nullable CompletionChannel channel() {
        return null;
    }

    /** Closes the queue pairs that use this queue, then destroys it. A second call does nothing. */
    @Override
    void close();
}
