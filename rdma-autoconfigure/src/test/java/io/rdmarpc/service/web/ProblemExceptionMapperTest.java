package io.rdmarpc.service.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaErrorDetails.FieldViolation;
import io.rdmarpc.rpc.error.RdmaErrorDetails.Resource;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.FieldError;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.server.ResponseStatusException;

@DisplayName("Exceptions with problem details, in a service")
class ProblemExceptionMapperTest {

    private final ProblemExceptionMapper mapper = new ProblemExceptionMapper();
    private final ServerCallContext call = mock(ServerCallContext.class);
    private final ProblemDetail problem = ProblemDetail.forStatus(409);

    private RdmaStatusException mapped(Throwable thrown) {
        RdmaStatusException mapped = mapper.map(thrown, call);
        assertThat(mapped).isNotNull();
        return mapped;
    }

    private RdmaErrorDetails details() {
        return mapped(new ErrorResponseException(HttpStatus.CONFLICT, problem, null))
                .errorDetails();
    }

    @ParameterizedTest
    @CsvSource({
        "400, INVALID_ARGUMENT",
        "401, UNAUTHENTICATED",
        "403, PERMISSION_DENIED",
        "404, NOT_FOUND",
        "405, INVALID_ARGUMENT",
        "408, INTERNAL",
        "409, CONFLICT",
        "410, NOT_FOUND",
        "412, CONFLICT",
        "422, INVALID_ARGUMENT",
        "423, CONFLICT",
        "429, OVERLOADED",
        "499, INVALID_ARGUMENT",
        "500, INTERNAL",
        "503, OVERLOADED",
        "504, INTERNAL",
        "302, INTERNAL"
    })
    void shouldMapTheHttpStatus(int http, RpcStatus status) {
        RdmaStatusException failure = mapped(new ResponseStatusException(HttpStatusCode.valueOf(http), "words"));

        assertThat(failure.status()).isEqualTo(status);
        assertThat(failure).hasMessage("words");
    }

    @Test
    void whenTheProblemHasNoDetailThenTheMessageIsItsTitle() {
        assertThat(mapped(new ResponseStatusException(HttpStatus.NOT_FOUND))).hasMessage("Not Found");
        assertThat(mapped(new ErrorResponseException(HttpStatusCode.valueOf(499), ProblemDetail.forStatus(499), null)))
                .hasMessage("HTTP status 499");
    }

    @ParameterizedTest
    @CsvSource({"NOT_FOUND, NOT_FOUND", "UNAVAILABLE, CONFLICT", "OK, CONFLICT", "no status, CONFLICT"})
    void whenTheProblemNamesAStatusThenOnlyOneOfAServiceIsUsed(String named, RpcStatus status) {
        problem.setProperty("rpcStatus", named);

        assertThat(mapped(new ErrorResponseException(HttpStatus.CONFLICT, problem, null))
                        .status())
                .isEqualTo(status);
    }

    @Test
    void shouldReadTheFormsOfErrors() {
        problem.setProperty(
                "errors",
                List.of(
                        Map.of("field", "a", "detail", "is null", "code", "NotNull"),
                        Map.of("pointer", "#/age", "detail", "must be positive"),
                        Map.of("field", "b", "defaultMessage", "is odd", "rejectedValue", 3),
                        "something else"));

        assertThat(details().fieldViolations())
                .containsExactly(
                        new FieldViolation("a", "is null", "NotNull"),
                        new FieldViolation("#/age", "must be positive", ""),
                        new FieldViolation("b", "is odd", ""),
                        new FieldViolation("", "something else", ""));
    }

    @Test
    void shouldReadTheOtherProperties() {
        problem.setProperty("resource", Map.of("type", "order", "name", 7));
        problem.setProperty("reason", "CANCELLED");
        problem.setProperty("domain", "shop");
        problem.setProperty("metadata", Map.of("since", 3));

        assertThat(details())
                .isEqualTo(RdmaErrorDetails.builder()
                        .resource(new Resource("order", "7", "", ""))
                        .reason("CANCELLED", "shop")
                        .metadata("since", "3")
                        .build());
    }

    @Test
    void whenPropertiesHaveOtherTypesThenTheyAreIgnored() {
        problem.setProperty("errors", "none");
        problem.setProperty("resource", List.of());
        problem.setProperty("metadata", 3);

        assertThat(details()).isEqualTo(RdmaErrorDetails.NONE);
    }

    @Test
    void whenTheExceptionHasBindingErrorsThenTheyAreFieldViolations() throws Exception {
        BeanPropertyBindingResult errors = new BeanPropertyBindingResult(new Object(), "booking");
        errors.reject("TooMany", "too many seats");
        errors.addError(new FieldError("booking", "guest", "is not known"));
        MethodParameter parameter = new MethodParameter(Object.class.getMethod("equals", Object.class), 0);

        assertThat(mapped(new MethodArgumentNotValidException(parameter, errors))
                        .errorDetails()
                        .fieldViolations())
                .containsExactlyInAnyOrder(
                        new FieldViolation("", "too many seats", "TooMany"),
                        new FieldViolation("guest", "is not known", ""));
    }

    @ParameterizedTest
    @CsvSource({"7, 7", "' 7', 0", "-7, 0", "soon, 0", "99999999999999999999, 0", "'Wed, 21 Oct 2015 07:28:00 GMT', 0"})
    void shouldReadRetryAfter(String header, long seconds) {
        ErrorResponseException failure = new ErrorResponseException(HttpStatus.SERVICE_UNAVAILABLE);
        failure.getHeaders().set(HttpHeaders.RETRY_AFTER, header);

        assertThat(mapped(failure).retryAfter()).isEqualTo(Duration.ofSeconds(seconds));
    }

    @Test
    void whenRetryAfterIsADateThenTheDelayEndsThen() {
        ErrorResponseException failure = new ErrorResponseException(HttpStatus.SERVICE_UNAVAILABLE);
        failure.getHeaders()
                .setZonedDateTime(
                        HttpHeaders.RETRY_AFTER,
                        ZonedDateTime.now(ZoneOffset.UTC).plusSeconds(100));

        assertThat(mapped(failure).retryAfter()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(100));
    }

    private static RestClientResponseException response(MediaType type, String body) {
        HttpHeaders headers = new HttpHeaders();
        headers.setContentType(type);
        return HttpClientErrorException.create(
                HttpStatus.NOT_FOUND,
                "Not Found",
                headers,
                body.getBytes(StandardCharsets.UTF_8),
                StandardCharsets.UTF_8);
    }

    @Test
    void whenTheBodyOfAProblemCannotBeReadThenItsStatusIsUsed() {
        RdmaStatusException failure = mapped(response(MediaType.APPLICATION_PROBLEM_JSON, "{"));

        assertThat(failure.status()).isEqualTo(RpcStatus.NOT_FOUND);
        assertThat(failure).hasMessage("Not Found");
        assertThat(failure.errorDetails()).isEqualTo(RdmaErrorDetails.NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/json", "text/html"})
    void whenAResponseIsNoProblemThenItIsNotMapped(String type) {
        assertThat(mapper.map(response(MediaType.valueOf(type), "{}"), call)).isNull();
        assertThat(mapper.map(new IllegalStateException(), call)).isNull();
    }
}
