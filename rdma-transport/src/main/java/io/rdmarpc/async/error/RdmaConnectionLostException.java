package io.rdmarpc.async.error;

import org.jspecify.annotations.Nullable;

/** The connection ended before the operation, or had ended already. The cause says why, where that is known. */
public class RdmaConnectionLostException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param facts which operation, and how far it came
     * @param message what happened, and where
     * @param remedy what to do next
     * @param cause the underlying failure, null for none
     */
    public RdmaConnectionLostException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
