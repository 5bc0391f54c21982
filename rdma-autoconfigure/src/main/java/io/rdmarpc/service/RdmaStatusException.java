package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;

/**
 * What a method or an interceptor of a server throws to choose how the call ends for its caller, who catches an {@link
 * io.rdmarpc.rpc.error.RdmaRemoteException} with this status and message. Any other exception ends it with {@link
 * RpcStatus#HANDLER_FAILED}.
 */
public class RdmaStatusException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /**
     * Creates the failure.
     *
     * @param status how the call ends, not {@link RpcStatus#OK}
     * @param message words for the caller
     */
    public RdmaStatusException(RpcStatus status, String message) {
        this(status, message, Duration.ZERO);
    }

    /**
     * Creates a failure that asks the caller to come again.
     *
     * @param status how the call ends, not {@link RpcStatus#OK}; the hint travels with {@link RpcStatus#OVERLOADED}
     * @param message words for the caller
     * @param retryAfter how long the caller should wait, zero for no hint
     */
    public RdmaStatusException(RpcStatus status, String message, Duration retryAfter) {
        super(status, message);
        if (status == RpcStatus.OK) {
            throw new IllegalArgumentException("a failure cannot have the status OK");
        }
        this.retryAfter = retryAfter;
    }

    @Override
    public Duration retryAfter() {
        return retryAfter;
    }
}
