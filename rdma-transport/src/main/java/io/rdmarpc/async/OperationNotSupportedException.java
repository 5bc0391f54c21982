package io.rdmarpc.async;

import org.jspecify.annotations.Nullable;

/** The device does not have this operation; the connection goes on. Atomics are what some devices lack. */
public class OperationNotSupportedException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    OperationNotSupportedException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
