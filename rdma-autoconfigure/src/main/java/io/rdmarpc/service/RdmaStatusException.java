package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;

/**
 * Thrown by a method or an interceptor of a server to choose the status of the call. The caller receives an
 * {@link io.rdmarpc.rpc.error.RdmaRemoteException} with this status and message. Any other exception ends the call with
 * {@link RpcStatus#HANDLER_FAILED}.
 */
public class RdmaStatusException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /**
     * Creates the failure.
     *
     * @param status the status of the call, not {@link RpcStatus#OK}
     * @param message the message for the caller
     */
    public RdmaStatusException(RpcStatus status, String message) {
        this(status, message, Duration.ZERO);
    }

    /**
     * Creates a failure with a retry hint.
     *
     * @param status the status of the call, not {@link RpcStatus#OK}; the hint is sent with
     *     {@link RpcStatus#OVERLOADED}
     * @param message the message for the caller
     * @param retryAfter how long the caller should wait before a retry, zero for no hint
     */
    public RdmaStatusException(RpcStatus status, String message, Duration retryAfter) {
        super(status, message);
        if (status == RpcStatus.OK) {
            throw new IllegalArgumentException("A failure cannot have the status OK. Use another status");
        }
        this.retryAfter = retryAfter;
    }

    @Override
    public Duration retryAfter() {
        return retryAfter;
    }
}
