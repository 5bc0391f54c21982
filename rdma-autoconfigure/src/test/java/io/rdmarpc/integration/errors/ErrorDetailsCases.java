package io.rdmarpc.integration.errors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaErrorDetails.FieldViolation;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** Details of failures on their way to callers, with the server and the HTTP edge of a subclass. */
abstract class ErrorDetailsCases {

    private static final Duration SOON = Duration.ofSeconds(20);

    abstract ConfigurableApplicationContext edge();

    private Desk desk() {
        return edge().getBean(Desk.class);
    }

    private static RdmaRpcException failure(Runnable call) {
        RdmaRpcException failure = catchThrowableOfType(RdmaRpcException.class, call::run);
        assertThat(failure).isNotNull();
        return failure;
    }

    @Test
    void shouldArriveWithAnExceptionOfABlockingCall() {
        RdmaRpcException failure = failure(() -> desk().fail("all"));

        assertThat(failure).isInstanceOf(RdmaRemoteException.class).hasMessageContaining("no seats");
        assertThat(failure.status()).isEqualTo(RpcStatus.CONFLICT);
        assertThat(failure.errorDetails()).isEqualTo(DeskBean.ALL);
        assertThat(failure.retryAfter()).isEqualTo(Duration.ofMillis(1_500));
    }

    @Test
    void shouldArriveWithOverload() {
        RdmaRpcException failure = failure(() -> desk().fail("busy"));

        assertThat(failure).isInstanceOf(RdmaOverloadedException.class).hasMessageContaining("too many guests");
        assertThat(failure.errorDetails()).isEqualTo(DeskBean.ALL);
    }

    @Test
    void shouldArriveWithAFuture() {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> desk().failLater("all").join())
                .havingCause()
                .isInstanceOfSatisfying(
                        RdmaRpcException.class,
                        e -> assertThat(e.errorDetails()).isEqualTo(DeskBean.ALL));
    }

    @Test
    void shouldArriveWithAMono() {
        RdmaRpcException failure = failure(() -> desk().failMono("all").block(SOON));

        assertThat(failure.errorDetails()).isEqualTo(DeskBean.ALL);
    }

    @Test
    void shouldArriveWithAStreamAfterItsElements() {
        List<String> elements = new ArrayList<>();
        RdmaRpcException failure = failure(() -> {
            try (Stream<String> items = desk().failStream("all")) {
                items.forEach(elements::add);
            }
        });

        assertThat(elements).containsExactly("first");
        assertThat(failure.errorDetails()).isEqualTo(DeskBean.ALL);
    }

    @Test
    void shouldArriveWithAFlux() {
        RdmaRpcException failure =
                failure(() -> desk().failFlux("busy").collectList().block(SOON));

        assertThat(failure.status()).isEqualTo(RpcStatus.OVERLOADED);
        assertThat(failure.errorDetails()).isEqualTo(DeskBean.ALL);
    }

    @Test
    void whenDetailsExceedAPacketThenTheRestArrivesAndIsMarked() {
        RdmaErrorDetails details = failure(() -> desk().fail("huge")).errorDetails();

        assertThat(details.isTruncated()).isTrue();
        assertThat(details.reason()).isEqualTo("NO_SEATS");
        assertThat(details.fieldViolations()).hasSize(2);
    }

    @Test
    void whenArgumentsAreInvalidThenTheirFieldsArrive() {
        RdmaRpcException failure = failure(() -> desk().book(new Desk.Booking(" ", -1)));

        assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
        assertThat(failure.errorDetails().fieldViolations())
                .containsExactly(
                        new FieldViolation("booking.guest", "must not be blank", "NotBlank"),
                        new FieldViolation("booking.seats", "must be greater than 0", "Positive"));
    }

    @Test
    void whenADeclaredExceptionHasFieldsThenItArrivesWithThem() throws Exception {
        assertThat(desk().reserve("Hamlet", 2)).isEqualTo(2);
        assertThatExceptionOfType(Desk.SoldOutException.class)
                .isThrownBy(() -> desk().reserve("Hamlet", 3))
                .withMessage("only 2 seats")
                .withCauseInstanceOf(RdmaRemoteException.class)
                .satisfies(e -> assertThat(e.show()).isEqualTo("Hamlet"))
                .satisfies(e -> assertThat(e.getLeft()).containsExactly(new Desk.Seat("A", 1), new Desk.Seat("B", 7)));
    }

    @Test
    void whenTheCallerRequestsNoDebugTextThenNoneArrives() {
        assertThat(failure(() -> desk().fail("debug")).errorDetails()).isEqualTo(DeskBean.ALL);
        assertThat(failure(() -> desk().fail("other")).errorDetails()).isEqualTo(RdmaErrorDetails.NONE);
    }

    @Test
    void whenTheCallerRequestsADebugTextThenAPermittingServerSendsIt() {
        CallOptions.debugDetails().run(() -> {
            assertThat(failure(() -> desk().fail("debug")).errorDetails().debug())
                    .isEqualTo("the plan of the hall is empty");
            assertThat(failure(() -> desk().fail("other")).errorDetails().debug())
                    .startsWith("java.lang.IllegalStateException: other\n")
                    .contains("io.rdmarpc.integration.errors.DeskBean.fail");
        });
    }

    @Test
    void whenAServiceThrowsAnErrorResponseThenItIsMapped() {
        RdmaRpcException failure = failure(() -> desk().fail("problem"));

        assertThat(failure.status()).isEqualTo(RpcStatus.INVALID_ARGUMENT);
        assertThat(failure).hasMessageContaining("invalid seat");
        assertThat(failure.errorDetails())
                .isEqualTo(RdmaErrorDetails.builder()
                        .fieldViolation("", "row Z does not exist")
                        .reason("BAD_SEAT", "")
                        .retryDelay(Duration.ofSeconds(3))
                        .build());
    }

    private HttpResponse<String> get(String path) throws Exception {
        try (HttpClient http = HttpClient.newHttpClient()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create(DeskApplication.url(edge(), path)))
                            .timeout(SOON)
                            .build(),
                    BodyHandlers.ofString());
        }
    }

    @Test
    void whenAControllerLetsAFailureThroughThenTheResponseHasItsDetails() throws Exception {
        HttpResponse<String> response = get("/fail/all");

        assertThat(response.statusCode()).isEqualTo(409);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(response.headers().firstValue("Retry-After")).contains("2");
        assertThat(response.body())
                .contains("\"rpcStatus\":\"CONFLICT\"")
                .contains("{\"field\":\"guest\",\"detail\":\"is not known\",\"code\":\"UnknownGuest\"}")
                .contains("{\"field\":\"seats\",\"detail\":\"is too large\"}")
                .contains("\"resource\":{\"type\":\"show\",\"name\":\"Hamlet\",\"owner\":\"theatre\"")
                .contains("\"reason\":\"NO_SEATS\"", "\"domain\":\"desk.test\"", "\"metadata\":{\"left\":\"0\"}");
        assertThat(get("/book/-1").body()).contains("\"field\":\"booking.seats\"", "\"code\":\"Positive\"");
    }

    @Test
    void whenTheEdgeDoesNotIncludeDebugTextsThenTheResponseHasNone() throws Exception {
        assertThat(get("/debug/debug").body()).contains("NO_SEATS").doesNotContain("plan of the hall");
    }

    @Test
    void whenAServiceReceivesProblemDetailsThenItsCallerGetsTheDetails() {
        RdmaRpcException failure = failure(() -> desk().proxy(DeskApplication.url(edge(), "/fail/all")));

        assertThat(failure.status()).isEqualTo(RpcStatus.CONFLICT);
        assertThat(failure.errorDetails())
                .isEqualTo(DeskBean.ALL.toBuilder()
                        .retryDelay(Duration.ofSeconds(2))
                        .build());
    }
}
