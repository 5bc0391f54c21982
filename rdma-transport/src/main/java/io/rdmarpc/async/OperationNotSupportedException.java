package io.rdmarpc.async;

import org.jspecify.annotations.Nullable;

/** The device or provider does not have this operation. */
public class OperationNotSupportedException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    OperationNotSupportedException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
