package io.rdmarpc.async.error;

import org.jspecify.annotations.Nullable;

/** The operation was rejected because too many operations of the connection are waiting. */
public class RdmaOperationBackpressureException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param facts the operation and its progress
     * @param message the failure and its connection
     * @param remedy the next step, as a sentence
     * @param cause the underlying failure, null for none
     */
    public RdmaOperationBackpressureException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
