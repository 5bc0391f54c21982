package io.rdmarpc.service.client;

import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRejectedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.service.RdmaSerializationException;

/**
 * Creates the failures that callers catch: of the same type, with the call in the message and the caller's stack
 * trace.
 */
final class CallFailures {

    private CallFailures() {}

    static RdmaRpcException of(String call, RdmaRpcException e) {
        RdmaRpcException failure = withCall(call, e);
        failure.initErrorDetails(e.errorDetails());
        return failure;
    }

    private static RdmaRpcException withCall(String call, RdmaRpcException e) {
        String message = call + ": " + e.getMessage();
        // The new message contains the failure's message, so only the failure's cause is attached, not the failure.
        Throwable cause = e.getCause();
        return switch (e) {
            case RdmaRemoteException remote -> ofRemote(call, message, remote);
            case RdmaRejectedException rejected -> new RdmaRejectedException(rejected.reason(), message);
            case RdmaTimeoutException _ -> new RdmaTimeoutException(message, cause);
            case RdmaNotExecutedException _ -> new RdmaNotExecutedException(message, cause);
            case RdmaUnavailableException _ -> new RdmaUnavailableException(message, cause);
            case RdmaOverloadedException overloaded ->
                new RdmaOverloadedException(message, overloaded.retryAfter(), cause);
            case RdmaBackpressureException _ -> new RdmaBackpressureException(message, cause);
            case RdmaContractException _ -> new RdmaContractException(message, cause);
            case RdmaMessageTooLargeException _ -> new RdmaMessageTooLargeException(message, cause);
            case RdmaSerializationException _ -> new RdmaSerializationException(message, cause);
            default -> new RdmaRpcException(e.status(), message, cause);
        };
    }

    /**
     * Names the call and the remote type in the message of an undeclared exception. A declared exception keeps its
     * message.
     */
    private static String threw(String call, RdmaRemoteException remote) {
        String type = remote.remoteType().isEmpty() ? "" : " threw " + remote.remoteType();
        return call + type + ": " + remote.getMessage();
    }

    private static RdmaRpcException ofRemote(String call, String message, RdmaRemoteException remote) {
        return switch (remote.status()) {
            case HANDLER_FAILED -> new RdmaRemoteException(remote.status(), remote.remoteType(), threw(call, remote));
            case UNAVAILABLE -> new RdmaUnavailableException(message, remote);
            default -> new RdmaRemoteException(remote.status(), remote.remoteType(), message);
        };
    }
}
