package io.rdmarpc.service.web;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
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
 * contains the status, a sentence about it, and the details that the service chose: field violations as {@code errors},
 * {@code resource}, {@code reason}, {@code domain} and {@code metadata}. The message of the exception, which may name
 * methods, hosts and exceptions of other processes, is only logged.
 */
@RestControllerAdvice
@Order
public class RpcProblemAdvice {

    private static final Log LOG = LogFactory.getLog(RpcProblemAdvice.class);

    private final boolean includeDetails;
    private final boolean includeDebug;

    /** Creates an advice whose responses contain the details of failures, without their debug text. */
    public RpcProblemAdvice() {
        this(true, false);
    }

    /**
     * Creates the advice.
     *
     * @param includeDetails whether responses contain the details of failures, except the debug text
     * @param includeDebug whether responses contain the debug text of failures
     */
    public RpcProblemAdvice(boolean includeDetails, boolean includeDebug) {
        this.includeDetails = includeDetails;
        this.includeDebug = includeDebug;
    }

    /**
     * Maps a failed call.
     *
     * @param failure the exception that the controller threw
     * @return the response, with {@code Retry-After} in seconds if the server sent a hint
     */
    @ExceptionHandler
    public ResponseEntity<ProblemDetail> failed(RdmaRpcException failure) {
        RpcStatus status = failure.status();
        HttpStatus http = HttpStatuses.httpStatusOf(status);
        if (http.is5xxServerError()) {
            LOG.warn("The response to an HTTP request has status " + http.value() + " because a call failed", failure);
        } else {
            LOG.debug("The response to an HTTP request has status " + http.value() + " because a call failed", failure);
        }
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(http, detailOf(status));
        ProblemProperties.writeStatus(status, problem);
        if (includeDetails) {
            ProblemProperties.write(failure.errorDetails(), problem);
        }
        if (includeDebug) {
            ProblemProperties.writeDebug(failure.errorDetails(), problem);
        }
        return ResponseEntity.status(http).headers(headersOf(failure)).body(problem);
    }

    private static HttpHeaders headersOf(RdmaRpcException failure) {
        HttpHeaders headers = new HttpHeaders();
        RetryAfterHeader.write(failure.retryAfter(), headers);
        return headers;
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
