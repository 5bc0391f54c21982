package io.rdmarpc.service.client;

import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RdmaContractException;
import io.rdmarpc.rpc.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.RdmaNotRunException;
import io.rdmarpc.rpc.RdmaOverloadedException;
import io.rdmarpc.rpc.RdmaRefusedException;
import io.rdmarpc.rpc.RdmaRemoteException;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.service.RdmaSerializationException;

/** Failures as callers see them: of the same kind, naming the call, with the caller's stack trace. */
final class CallFailures {

    private CallFailures() {}

    static RpcException of(String call, RpcException e) {
        String message = call + ": " + e.getMessage();
        // The failure's own words are in the message: what caused it is worth another one, it itself is not.
        Throwable cause = e.getCause();
        return switch (e) {
            case RdmaRemoteException remote -> ofRemote(call, message, remote);
            case RdmaRefusedException refused -> new RdmaRefusedException(refused.code(), message);
            case RdmaTimeoutException _ -> new RdmaTimeoutException(message, cause);
            case RdmaNotRunException _ -> new RdmaNotRunException(message, cause);
            case RdmaUnavailableException _ -> new RdmaUnavailableException(message, cause);
            case RdmaOverloadedException overloaded ->
                new RdmaOverloadedException(message, overloaded.retryAfter(), cause);
            case RdmaBackpressureException _ -> new RdmaBackpressureException(message, cause);
            case RdmaContractException _ -> new RdmaContractException(message, cause);
            case RdmaMessageTooLargeException _ -> new RdmaMessageTooLargeException(message, cause);
            case RdmaSerializationException _ -> new RdmaSerializationException(message, cause);
            default -> new RpcException(e.status(), message, cause);
        };
    }

    /** Names the call in the message of an exception that its method does not declare; a declared one keeps its message. */
    private static String threw(String call, RdmaRemoteException remote) {
        String type = remote.remoteType().isEmpty() ? "" : " threw " + remote.remoteType();
        return call + type + ": " + remote.getMessage();
    }

    private static RpcException ofRemote(String call, String message, RdmaRemoteException remote) {
        return switch (remote.status()) {
            case HANDLER_FAILED -> new RdmaRemoteException(remote.status(), remote.remoteType(), threw(call, remote));
            case UNAVAILABLE -> new RdmaUnavailableException(message, remote);
            default -> new RdmaRemoteException(remote.status(), remote.remoteType(), message);
        };
    }
}
