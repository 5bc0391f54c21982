package io.rdmarpc.async.error;

import org.jspecify.annotations.Nullable;

/** The device does not support the operation; some devices lack atomics. The connection stays open. */
public class RdmaOperationNotSupportedException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param facts the operation and its progress
     * @param message the failure and its connection
     * @param remedy the next step, as a sentence
     * @param cause the underlying failure, null for none
     */
    public RdmaOperationNotSupportedException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
