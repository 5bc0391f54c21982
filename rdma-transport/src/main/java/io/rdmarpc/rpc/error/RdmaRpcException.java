package io.rdmarpc.rpc.error;

import io.rdmarpc.verbs.error.RdmaException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A call failed. {@link #status()} returns how, and whether a retry may help. */
public class RdmaRpcException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final RpcStatus status;
    private RdmaErrorDetails errorDetails;

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
        this(status, message, RdmaErrorDetails.NONE, cause);
    }

    /**
     * Creates a failure with details.
     *
     * @param status how the call ended
     * @param message what was tried, the numbers, and the next step
     * @param details the details
     * @param cause the underlying failure
     */
    public RdmaRpcException(RpcStatus status, String message, RdmaErrorDetails details, @Nullable Throwable cause) {
        super(message, cause);
        this.status = status;
        this.errorDetails = details;
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
     * @return the retry delay of the {@linkplain #errorDetails details}, zero if the server sent none
     */
    public Duration retryAfter() {
        return errorDetails.retryDelay();
    }

    /**
     * Returns the typed details of the failure.
     *
     * @return the details, {@link RdmaErrorDetails#NONE} if the server sent none
     */
    public RdmaErrorDetails errorDetails() {
        return errorDetails;
    }

    /**
     * Sets the details. Only the creator of the exception calls this, before it throws the exception or passes it to
     * another thread.
     *
     * @param details the details
     */
    public final void initErrorDetails(RdmaErrorDetails details) {
        errorDetails = details;
    }
}
