package io.rdmarpc.service.web;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Converts an {@link RdmaRpcException} of a controller into a response with problem details (RFC 9457). The response
 * contains the status and a sentence about it. The message of the exception, which may name methods, hosts and
 * exceptions of other processes, is only logged.
 */
@RestControllerAdvice
@Order
public class RpcProblemAdvice {

    private static final Log LOG = LogFactory.getLog(RpcProblemAdvice.class);

    /** Creates the advice. */
    public RpcProblemAdvice() {}

    /**
     * Maps a failed call.
     *
     * @param failure the exception that the controller threw
     * @return the response, with {@code Retry-After} in seconds if the server sent a hint
     */
    @ExceptionHandler
    public ResponseEntity<ProblemDetail> failed(RdmaRpcException failure) {
        RpcStatus status = failure.status();
        HttpStatus http = httpStatusOf(status);
        if (http.is5xxServerError()) {
            LOG.warn("The response to an HTTP request has status " + http.value() + " because a call failed", failure);
        } else {
            LOG.debug("The response to an HTTP request has status " + http.value() + " because a call failed", failure);
        }
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(http, detailOf(status));
        problem.setProperty("rpcStatus", status.name());
        return ResponseEntity.status(http).headers(headersOf(failure)).body(problem);
    }

    private static HttpHeaders headersOf(RdmaRpcException failure) {
        HttpHeaders headers = new HttpHeaders();
        Duration hint = failure.retryAfter();
        if (hint.isPositive()) {
            // Rounds up to whole seconds: a client that retries too early is rejected again.
            headers.set(
                    HttpHeaders.RETRY_AFTER, String.valueOf(hint.plusMillis(999).toSeconds()));
        }
        return headers;
    }

    /**
     * Returns the status of the response to a request whose call failed.
     *
     * @param status how the call ended
     * @return the status of the response
     */
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

    private static String detailOf(RpcStatus status) {
        return switch (status) {
            case INVALID_ARGUMENT -> "A value of the request is not valid.";
            case UNAUTHENTICATED -> "The caller is not authenticated.";
            case PERMISSION_DENIED -> "The caller is not allowed to do this.";
            case NOT_FOUND -> "The requested resource does not exist.";
            case CONFLICT -> "The request conflicts with the current state of the resource.";
            case DEADLINE_EXCEEDED -> "A service did not respond in time. The request may have been processed.";
            case UNAVAILABLE -> "A service is not available. The request may have been processed.";
            case BACKPRESSURE, OVERLOADED -> "A service is overloaded. Try again later.";
            case CANCELLED -> "The request was cancelled.";
            case UNKNOWN_METHOD, CONTRACT_MISMATCH, INVALID_REQUEST, MESSAGE_TOO_LARGE ->
                "A service could not process the request.";
            case OK, HANDLER_FAILED, INTERNAL -> "A service failed.";
        };
    }
}
