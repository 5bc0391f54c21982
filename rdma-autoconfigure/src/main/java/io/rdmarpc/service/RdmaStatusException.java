package io.rdmarpc.service;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;

/**
 * Thrown by a method or an interceptor of a server to choose the status of the call. The caller receives an
 * {@link RdmaRpcException} with this status, message and details, usually an
 * {@link io.rdmarpc.rpc.error.RdmaRemoteException}. Any other exception ends the call with
 * {@link RpcStatus#HANDLER_FAILED}.
 */
public class RdmaStatusException extends RdmaRpcException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param status the status of the call, not {@link RpcStatus#OK}
     * @param message the message for the caller
     */
    public RdmaStatusException(RpcStatus status, String message) {
        this(status, message, RdmaErrorDetails.NONE);
    }

    /**
     * Creates a failure with a retry hint.
     *
     * @param status the status of the call, not {@link RpcStatus#OK}
     * @param message the message for the caller
     * @param retryAfter how long the caller should wait before a retry, zero for no hint
     */
    public RdmaStatusException(RpcStatus status, String message, Duration retryAfter) {
        this(status, message, RdmaErrorDetails.ofRetryDelay(retryAfter));
    }

    /**
     * Creates a failure with details.
     *
     * @param status the status of the call, not {@link RpcStatus#OK}
     * @param message the message for the caller
     * @param details the details for the caller; the debug text is sent only if the caller requested it and the server
     *     permits it
     */
    public RdmaStatusException(RpcStatus status, String message, RdmaErrorDetails details) {
        super(status, message, details, null);
        if (status == RpcStatus.OK) {
            throw new IllegalArgumentException("A failure cannot have the status OK. Use another status");
        }
    }
}
