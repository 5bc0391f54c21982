package io.rdmarpc.async;

import org.jspecify.annotations.Nullable;

/** Too many operations of a connection wait already; this one was not taken. */
public class OperationBackpressureException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    OperationBackpressureException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
