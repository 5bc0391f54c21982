package io.rdmarpc.service.web;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import java.time.Duration;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.validation.BindingResult;
import org.springframework.validation.FieldError;
import org.springframework.validation.ObjectError;
import org.springframework.web.ErrorResponse;
import org.springframework.web.client.RestClientResponseException;

/**
 * Maps exceptions with problem details (RFC 9457) to a status with details. These are exceptions of Spring that
 * implement {@link ErrorResponse}, and failed requests of a RestClient or RestTemplate whose response has the media type
 * {@code application/problem+json}. Other exceptions are not mapped.
 */
public final class ProblemExceptionMapper implements RdmaExceptionMapper {

    private static final Log LOG = LogFactory.getLog(ProblemExceptionMapper.class);

    /** Creates the mapper. */
    public ProblemExceptionMapper() {}

    @Override
    public @Nullable RdmaStatusException map(Throwable thrown, ServerCallContext call) {
        return switch (thrown) {
            case ErrorResponse response ->
                failure(response.getStatusCode(), response.getHeaders(), response.getBody(), thrown);
            case RestClientResponseException response
            when isProblem(response.getResponseHeaders()) ->
                failure(response.getStatusCode(), response.getResponseHeaders(), bodyOf(response), thrown);
            default -> null;
        };
    }

    private static boolean isProblem(@Nullable HttpHeaders headers) {
        MediaType type = headers == null ? null : headers.getContentType();
        return MediaType.APPLICATION_PROBLEM_JSON.isCompatibleWith(type);
    }

    /** Returns the problem details of the response, or only its status if they cannot be read. */
    private static ProblemDetail bodyOf(RestClientResponseException response) {
        try {
            ProblemDetail body = response.getResponseBodyAs(ProblemDetail.class);
            if (body != null) {
                return body;
            }
        } catch (RuntimeException e) {
            LOG.debug("the problem details of an HTTP response could not be read", e);
        }
        return ProblemDetail.forStatus(response.getStatusCode());
    }

    private static RdmaStatusException failure(
            HttpStatusCode http, @Nullable HttpHeaders headers, ProblemDetail problem, Throwable thrown) {
        RdmaErrorDetails.Builder details = ProblemProperties.read(problem);
        if (thrown instanceof BindingResult binding) {
            binding.getAllErrors().forEach(error -> addViolation(details, error));
        }
        Duration delay = RetryAfterHeader.read(headers);
        return new RdmaStatusException(
                HttpStatuses.rpcStatusOf(http, problem),
                messageOf(http, problem),
                details.retryDelay(delay).build());
    }

    private static void addViolation(RdmaErrorDetails.Builder details, ObjectError error) {
        details.fieldViolation(
                error instanceof FieldError field ? field.getField() : "",
                text(error.getDefaultMessage()),
                text(error.getCode()));
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static String messageOf(HttpStatusCode http, ProblemDetail problem) {
        String detail = problem.getDetail();
        String title = problem.getTitle();
        if (detail != null && !detail.isBlank()) {
            return detail;
        }
        return title != null && !title.isBlank() ? title : "HTTP status " + http.value();
    }
}
