package io.rdmarpc.async.error;

import org.jspecify.annotations.Nullable;

/** The device does not have this operation; the connection goes on. Atomics are what some devices lack. */
public class RdmaOperationNotSupportedException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param facts which operation, and how far it came
     * @param message what happened, and where
     * @param remedy what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaOperationNotSupportedException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
