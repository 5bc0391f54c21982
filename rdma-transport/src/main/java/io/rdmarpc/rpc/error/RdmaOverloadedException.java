package io.rdmarpc.rpc.error;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The server has reached its own load limits; the method has not run. */
public class RdmaOverloadedException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was tried, the numbers, and the next step
     * @param retryAfter how long the server requests the caller to wait
     */
    public RdmaOverloadedException(String message, Duration retryAfter) {
        this(message, retryAfter, null);
    }

    /**
     * Creates the failure with a cause.
     *
     * @param message what was tried, the numbers, and the next step
     * @param retryAfter how long the server requests the caller to wait
     * @param cause the underlying failure
     */
    public RdmaOverloadedException(String message, Duration retryAfter, @Nullable Throwable cause) {
        super(RpcStatus.OVERLOADED, message, RdmaErrorDetails.ofRetryDelay(retryAfter), cause);
    }
}
