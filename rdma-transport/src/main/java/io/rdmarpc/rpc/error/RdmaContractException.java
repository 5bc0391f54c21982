package io.rdmarpc.rpc.error;

import org.jspecify.annotations.Nullable;

/** The peer does not offer a service or method with the contract of the caller. */
public class RdmaContractException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message what was tried, the numbers, and the next step
     */
    public RdmaContractException(String message) {
        this(message, null);
    }

    /**
     * Creates the failure with a cause.
     *
     * @param message what was tried, the numbers, and the next step
     * @param cause the underlying failure
     */
    public RdmaContractException(String message, @Nullable Throwable cause) {
        super(RpcStatus.CONTRACT_MISMATCH, message, cause);
    }
}
