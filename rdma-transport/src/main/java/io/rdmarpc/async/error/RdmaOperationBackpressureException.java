package io.rdmarpc.async.error;

import org.jspecify.annotations.Nullable;

/** Too many operations of a connection wait already; this one was not taken. */
public class RdmaOperationBackpressureException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param facts which operation, and how far it came
     * @param message what happened, and where
     * @param remedy what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaOperationBackpressureException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
