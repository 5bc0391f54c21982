package io.rdmarpc.service.web;

import io.rdmarpc.rpc.error.RpcStatus;
import java.util.EnumSet;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;

/** The correspondence of HTTP statuses and statuses of calls. */
final class HttpStatuses {

    /**
     * Statuses that a service may take over from the problem details of another one. The other statuses describe the
     * state of that service's server, and a client would act on them, for example exclude an instance.
     */
    private static final Set<RpcStatus> TAKEN_OVER = EnumSet.of(
            RpcStatus.HANDLER_FAILED,
            RpcStatus.INTERNAL,
            RpcStatus.OVERLOADED,
            RpcStatus.INVALID_ARGUMENT,
            RpcStatus.NOT_FOUND,
            RpcStatus.CONFLICT,
            RpcStatus.UNAUTHENTICATED,
            RpcStatus.PERMISSION_DENIED);

    private HttpStatuses() {}

    /** Returns the status of the response to a request whose call failed. */
    static HttpStatus httpStatusOf(RpcStatus status) {
        return switch (status) {
            case INVALID_ARGUMENT -> HttpStatus.BAD_REQUEST;
            case UNAUTHENTICATED -> HttpStatus.UNAUTHORIZED;
            case PERMISSION_DENIED -> HttpStatus.FORBIDDEN;
            case NOT_FOUND -> HttpStatus.NOT_FOUND;
            case CONFLICT -> HttpStatus.CONFLICT;
            case DEADLINE_EXCEEDED -> HttpStatus.GATEWAY_TIMEOUT;
            case UNAVAILABLE, BACKPRESSURE, OVERLOADED, CANCELLED -> HttpStatus.SERVICE_UNAVAILABLE;
            case UNKNOWN_METHOD, CONTRACT_MISMATCH, INVALID_REQUEST, MESSAGE_TOO_LARGE -> HttpStatus.BAD_GATEWAY;
            case OK, HANDLER_FAILED, INTERNAL -> HttpStatus.INTERNAL_SERVER_ERROR;
        };
    }

    /** Returns the status of a call whose method failed with an HTTP status. */
    static RpcStatus rpcStatusOf(HttpStatusCode http, ProblemDetail problem) {
        RpcStatus named = ProblemProperties.statusOf(problem);
        if (named != null && TAKEN_OVER.contains(named)) {
            return named;
        }
        return switch (http.value()) {
            case 401 -> RpcStatus.UNAUTHENTICATED;
            case 403 -> RpcStatus.PERMISSION_DENIED;
            case 404, 410 -> RpcStatus.NOT_FOUND;
            case 409, 412, 423 -> RpcStatus.CONFLICT;
            case 429, 503 -> RpcStatus.OVERLOADED;
            case 408 -> RpcStatus.INTERNAL;
            default -> http.is4xxClientError() ? RpcStatus.INVALID_ARGUMENT : RpcStatus.INTERNAL;
        };
    }
}
