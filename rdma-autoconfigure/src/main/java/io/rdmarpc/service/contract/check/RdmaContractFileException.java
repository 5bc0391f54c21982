package io.rdmarpc.service.contract.check;

import io.rdmarpc.verbs.error.RdmaException;
import org.jspecify.annotations.Nullable;

/** A stored contract cannot be read or written. The message names the file and what to do. */
public class RdmaContractFileException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message what failed, and what to do
     * @param cause the cause, null if there is none
     */
    public RdmaContractFileException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
