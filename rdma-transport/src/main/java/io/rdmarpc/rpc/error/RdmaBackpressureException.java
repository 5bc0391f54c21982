package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/** Too many calls of a session are waiting, or memory for the request is missing. The method has not run. */
public class RdmaBackpressureException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was tried, the numbers, and the next step
     */
    public RdmaBackpressureException(String message) {
        this(message, null);
    }

    /**
     * Creates the failure with a cause.
     *
     * @param message what was tried, the numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaBackpressureException(String message, @Nullable Throwable cause) {
        super(RpcStatus.BACKPRESSURE, message, cause);
    }
}
