package io.rdmarpc.async.error;

import org.jspecify.annotations.Nullable;

/**
 * The connection ended before the operation did, or before the operation was posted. The cause is the reason, if it is
 * known.
 */
public class RdmaConnectionLostException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param facts the operation and its progress
     * @param message the failure and its connection
     * @param remedy the next step, as a sentence
     * @param cause the underlying failure, null for none
     */
    public RdmaConnectionLostException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
