package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/** The deadline of a call passed. The method may or may not have run on the peer. */
public class RdmaTimeoutException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was tried, the numbers, and the next step
     */
    public RdmaTimeoutException(String message) {
        this(message, null);
    }

    /**
     * Creates the failure with a cause.
     *
     * @param message what was tried, the numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaTimeoutException(String message, @Nullable Throwable cause) {
        super(RpcStatus.DEADLINE_EXCEEDED, message, cause);
    }
}
