package io.rdmarpc.service.client;

import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RdmaContractException;
import io.rdmarpc.rpc.RdmaMessageTooLargeException;
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
        return switch (e) {
            case RdmaRemoteException remote -> ofRemote(message, remote);
            case RdmaRefusedException refused -> new RdmaRefusedException(refused.code(), message);
            case RdmaTimeoutException _ -> new RdmaTimeoutException(message, e);
            case RdmaUnavailableException _ -> new RdmaUnavailableException(message, e);
            case RdmaOverloadedException overloaded ->
                new RdmaOverloadedException(message, overloaded.retryAfter(), overloaded);
            case RdmaBackpressureException _ -> new RdmaBackpressureException(message, e);
            case RdmaContractException _ -> new RdmaContractException(message, e);
            case RdmaMessageTooLargeException _ -> new RdmaMessageTooLargeException(message, e);
            case RdmaSerializationException _ -> new RdmaSerializationException(message, e);
            default -> new RpcException(e.status(), message, e);
        };
    }

    /** What the method threw is told in its own words, which users may see; the rest is ours to explain. */
    private static RpcException ofRemote(String message, RdmaRemoteException remote) {
        return switch (remote.status()) {
            case HANDLER_FAILED ->
                new RdmaRemoteException(remote.status(), remote.remoteType(), String.valueOf(remote.getMessage()));
            case UNAVAILABLE -> new RdmaUnavailableException(message, remote);
            default -> new RdmaRemoteException(remote.status(), remote.remoteType(), message);
        };
    }
}
