package io.rdmarpc.async.error;

import org.jspecify.annotations.Nullable;

/** An operation that cannot work, found before it was posted: wrong alignment, length or local rights. */
public class RdmaOperationRejectedException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param facts which operation, and how far it came
     * @param message what happened, and where
     * @param remedy what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaOperationRejectedException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
