package io.rdmarpc.verbs.error;

import org.jspecify.annotations.Nullable;

/**
 * The unchecked base class of all exceptions of this library. The message states the failed action, the relevant
 * numbers and the next step.
 */
public class RdmaException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates a failure without a cause.
     *
     * @param message the failed action, the relevant numbers, and the next step
     */
    public RdmaException(String message) {
        super(message);
    }

    /**
     * Creates a failure with a cause.
     *
     * @param message the failed action, the relevant numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
