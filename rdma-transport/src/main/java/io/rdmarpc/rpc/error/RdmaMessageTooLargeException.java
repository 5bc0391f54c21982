package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/** A message is longer than the peers agreed on; it was not sent. */
public class RdmaMessageTooLargeException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was tried, the numbers, and the next step
     */
    public RdmaMessageTooLargeException(String message) {
        this(message, null);
    }

    /**
     * Creates the failure with a cause.
     *
     * @param message what was tried, the numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaMessageTooLargeException(String message, @Nullable Throwable cause) {
        super(RpcStatus.MESSAGE_TOO_LARGE, message, cause);
    }
}
