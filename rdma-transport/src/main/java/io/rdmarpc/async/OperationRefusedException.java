package io.rdmarpc.async;

import org.jspecify.annotations.Nullable;

/** An operation that cannot work, found before it was posted: wrong alignment, length or local rights. */
public class OperationRefusedException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    OperationRefusedException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
