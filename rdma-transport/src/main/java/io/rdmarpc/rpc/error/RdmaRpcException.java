package io.rdmarpc.rpc.error;

import io.rdmarpc.verbs.error.RdmaException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A call failed. {@link #status()} returns how, and whether a retry may help. */
public class RdmaRpcException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final RpcStatus status;

    /**
     * Creates a failure.
     *
     * @param status how the call ended
     * @param message what was tried, the numbers, and the next step
     */
    public RdmaRpcException(RpcStatus status, String message) {
        this(status, message, null);
    }

    /**
     * Creates a failure with a cause.
     *
     * @param status how the call ended
     * @param message what was tried, the numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaRpcException(RpcStatus status, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /**
     * Returns how the call ended.
     *
     * @return the status
     */
    public RpcStatus status() {
        return status;
    }

    /**
     * Returns how long the server requests the caller to wait before a retry.
     *
     * @return a hint, zero if the server sent none
     */
    public Duration retryAfter() {
        return Duration.ZERO;
    }
}
