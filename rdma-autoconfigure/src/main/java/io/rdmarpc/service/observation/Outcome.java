package io.rdmarpc.service.observation;

import io.rdmarpc.rpc.error.RpcStatus;

/** How a call ended, as coarse as dashboards want it. */
enum Outcome {
    SUCCESS,
    CLIENT_ERROR,
    SERVER_ERROR,
    TIMEOUT,
    UNAVAILABLE,
    /** It has not ended yet. */
    UNKNOWN;

    static Outcome of(RpcStatus status) {
        return switch (status) {
            case OK -> SUCCESS;
            case UNKNOWN_METHOD,
                    CONTRACT_MISMATCH,
                    INVALID_REQUEST,
                    MESSAGE_TOO_LARGE,
                    CANCELLED,
                    INVALID_ARGUMENT,
                    NOT_FOUND,
                    CONFLICT,
                    UNAUTHENTICATED,
                    PERMISSION_DENIED -> CLIENT_ERROR;
            case HANDLER_FAILED, INTERNAL -> SERVER_ERROR;
            case DEADLINE_EXCEEDED -> TIMEOUT;
            case UNAVAILABLE, BACKPRESSURE, OVERLOADED -> UNAVAILABLE;
        };
    }
}
