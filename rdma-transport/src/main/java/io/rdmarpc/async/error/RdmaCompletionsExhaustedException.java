package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/**
 * One more connection could overrun the node's completion queue, and it cannot grow. The connections there are go on.
 */
public class RdmaCompletionsExhaustedException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final int reserved;
    private final int asked;
    private final int capacity;

    /**
     * Creates the failure.
     *
     * @param reserved completions that other connections have reserved
     * @param asked completions that one more connection needs
     * @param capacity size of the completion queue, in completions
     * @param cause why the queue could not grow, null where the device has no more
     */
    public RdmaCompletionsExhaustedException(int reserved, int asked, int capacity, @Nullable Throwable cause) {
        super(
                "A connection needs room for " + asked + " completions; " + reserved + " of " + capacity
                        + " are taken and the queue cannot grow. Close connections, use smaller queues, open the node"
                        + " with more completions, or open a second node",
                cause);
        this.reserved = reserved;
        this.asked = asked;
        this.capacity = capacity;
    }

    /**
     * Returns what other connections have.
     *
     * @return completions
     */
    public int reserved() {
        return reserved;
    }

    /**
     * Returns what one more connection needs.
     *
     * @return completions
     */
    public int asked() {
        return asked;
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
