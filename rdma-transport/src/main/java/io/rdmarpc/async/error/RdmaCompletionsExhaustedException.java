package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * Another connection could overrun the node's completion queue, and the queue cannot grow. Existing connections stay
 * open.
 */
public class RdmaCompletionsExhaustedException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final int reserved;
    private final int requested;
    private final int capacity;

    /**
     * Creates the failure.
     *
     * @param reserved completions that other connections have reserved
     * @param requested completions that another connection needs
     * @param capacity size of the completion queue, in completions
     * @param cause why the queue could not grow, null if the limit of the device is reached
     */
    public RdmaCompletionsExhaustedException(int reserved, int requested, int capacity, @Nullable Throwable cause) {
        super(
                "A connection needs room for " + requested + " completions, but " + reserved + " of " + capacity
                        + " are reserved and the queue cannot grow. Close connections, use smaller queues, open the "
                        + "node"
                        + " with more completions, or open a second node",
                cause);
        this.reserved = reserved;
        this.requested = requested;
        this.capacity = capacity;
    }

    /**
     * Returns how many completions other connections have reserved.
     *
     * @return completions
     */
    public int reserved() {
        return reserved;
    }

    /**
     * Returns how many completions another connection needs.
     *
     * @return completions
     */
    public int requested() {
        return requested;
    }

    /**
     * Returns the size of the queue.
     *
     * @return completions
     */
    public int capacity() {
        return capacity;
    }
}
