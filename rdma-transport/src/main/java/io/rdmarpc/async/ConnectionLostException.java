package io.rdmarpc.async;

import org.jspecify.annotations.Nullable;

/** The connection ended before the operation, or had ended already. The cause says why, where that is known. */
public class ConnectionLostException extends RdmaOperationException {

    private static final long serialVersionUID = 1L;

    ConnectionLostException(Facts facts, String message, String remedy, @Nullable Throwable cause) {
        super(facts, message, remedy, cause);
    }
}
