package io.rdmarpc.rpc.engine.stream;

import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;

/** What a stream's end other than a good one is to its receiver. */
final class StreamFailures {

    private StreamFailures() {}

    /** The peer's words as an exception: what its handler threw is told apart from what the engine found. */
    static RdmaRpcException of(String peer, RpcStatus status, FailureText words) {
        String where = peer + " ended the stream: " + words.message();
        return switch (status) {
            case HANDLER_FAILED,
                    INVALID_REQUEST,
                    INTERNAL,
                    INVALID_ARGUMENT,
                    NOT_FOUND,
                    CONFLICT,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED -> new RdmaRemoteException(status, words.type(), words.message());
            case DEADLINE_EXCEEDED -> new RdmaTimeoutException(where);
            default -> new RdmaRpcException(status, where);
        };
    }
}
