package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;

/** Converts the failure that ended a stream to the exception for its receiver. */
final class StreamFailures {

    private StreamFailures() {}

    /**
     * Returns the exception for a peer's failure. It distinguishes exceptions of the peer's handler from failures of
     * the peer's engine.
     */
    static RdmaRpcException of(String peer, RpcStatus status, FailureText failure) {
        RdmaRpcException exception = exception(peer, status, failure);
        exception.initErrorDetails(failure.errorDetails());
        return exception;
    }

    private static RdmaRpcException exception(String peer, RpcStatus status, FailureText failure) {
        String where = peer + " ended the stream: " + failure.message();
        return switch (status) {
            case HANDLER_FAILED,
                    INVALID_REQUEST,
                    INTERNAL,
                    INVALID_ARGUMENT,
                    NOT_FOUND,
                    CONFLICT,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED -> new RdmaRemoteException(status, failure.type(), failure.message());
            case DEADLINE_EXCEEDED -> new RdmaTimeoutException(where);
            default -> new RdmaRpcException(status, where);
        };
    }
}
