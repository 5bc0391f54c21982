package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import org.jspecify.annotations.Nullable;

/** A queue of work completions ({@code struct ibv_cq}). May be polled by any thread, one batch array per thread. */
public interface CompletionQueue extends AutoCloseable {

    /**
     * Takes completions from the queue; never blocks. On the software RNIC this also moves the protocol on.
     *
     * <p>A queue that is overrun loses completions. What was in it can still be taken; then the software RNIC answers
     * {@code -EIO}, while devices may go on as if nothing had happened, as rxe does: there only
     * {@link AsyncEventType#CQ_ERR} tells. Make the queue as large as all work requests that may complete in it.
     *
     * @param into where to, from entry 0
     * @param max how many at most, not over the array's capacity
     * @return how many were taken, or a negative error number: {@code -EINVAL} when the queue is closed
     */
    int poll(WorkCompletions into, int max);

    /**
     * Returns how many completions fit.
     *
     * @return the capacity granted by the device
     */
    int capacity();

    /**
     * Asks for one event on the {@linkplain #channel() channel} when the next completion comes
     * ({@code ibv_req_notify_cq}). Completions that are there already make none: poll again after this.
     *
     * @param solicitedOnly whether only completions of solicited messages and failures count
     * @return 0 or an error number: {@link Errno#EINVAL} for a queue that is closed or has no channel,
     *     {@link Errno#EOPNOTSUPP} where the provider has no channels
     */
    default int requestNotification(boolean solicitedOnly) {
        return Errno.EOPNOTSUPP;
    }

    /**
     * Changes the capacity ({@code ibv_resize_cq}); completions in it are kept.
     *
     * @param entries completions it must hold, not fewer than are in it
     * @return the capacity granted
     * @throws RdmaVerbsException when the device refuses
     */
    default int resize(int entries) {
        throw RdmaVerbsException.notSupported(
                "ibv_resize_cq", "", "This provider's queues keep their size: make another");
    }

    /**
     * Returns where events go.
     *
     * @return the channel given at creation, or null
     */
    default @Nullable CompletionChannel channel() {
        return null;
    }

    /** Closes the queue pairs that use it, then destroys it. A second call does nothing. */
    @Override
    void close();
}
