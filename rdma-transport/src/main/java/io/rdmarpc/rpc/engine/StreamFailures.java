package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.RdmaRemoteException;
import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;

/** What a stream's end other than a good one is to its receiver. */
final class StreamFailures {

    private StreamFailures() {}

    /** The peer's words as an exception: what its handler threw is told apart from what the engine found. */
    static RpcException of(String peer, RpcStatus status, FailureText words) {
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
            default -> new RpcException(status, where);
        };
    }
}
