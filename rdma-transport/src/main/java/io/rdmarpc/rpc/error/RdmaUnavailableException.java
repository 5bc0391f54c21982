package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/** The peer is dead, unreachable or closing. The method may or may not have run. */
public class RdmaUnavailableException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was tried, the numbers, and the next step
     */
    public RdmaUnavailableException(String message) {
        this(message, null);
    }

    /**
     * Creates the failure with a cause.
     *
     * @param message what was tried, the numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaUnavailableException(String message, @Nullable Throwable cause) {
        super(RpcStatus.UNAVAILABLE, message, cause);
    }
}
