package io.rdmarpc.integration.errors;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaErrorDetails.Resource;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaStatusException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.client.RestClient;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Fails as its callers request. */
final class DeskBean implements Desk {

    /** Everything that a failure of {@code fail("all")} has. */
    static final RdmaErrorDetails ALL = RdmaErrorDetails.builder()
            .retryDelay(Duration.ofMillis(1_500))
            .fieldViolation("guest", "is not known", "UnknownGuest")
            .fieldViolation("seats", "is too large")
            .resource(new Resource("show", "Hamlet", "theatre", "sold out"))
            .reason("NO_SEATS", "desk.test")
            .metadata("left", "0")
            .build();

    private final RestClient http = RestClient.create();

    @Override
    public int book(Booking booking) {
        return booking.seats();
    }

    @Override
    public int reserve(String show, int seats) throws SoldOutException {
        if (seats > 2) {
            throw new SoldOutException("only 2 seats", show, List.of(new Seat("A", 1), new Seat("B", 7)), null);
        }
        return seats;
    }

    @Override
    public String fail(String how) {
        throw failure(how);
    }

    private static RuntimeException failure(String how) {
        return switch (how) {
            case "all" -> new RdmaStatusException(RpcStatus.CONFLICT, "no seats", ALL);
            case "busy" -> new RdmaStatusException(RpcStatus.OVERLOADED, "too many guests", ALL);
            case "debug" ->
                new RdmaStatusException(RpcStatus.CONFLICT, "no seats", ALL.withDebug("the plan of the hall is empty"));
            case "huge" ->
                new RdmaStatusException(
                        RpcStatus.CONFLICT,
                        "no seats",
                        ALL.toBuilder().metadata("huge", "x".repeat(100_000)).build());
            case "problem" -> problem();
            default -> new IllegalStateException(how);
        };
    }

    private static ErrorResponseException problem() {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.UNPROCESSABLE_CONTENT, "invalid seat");
        problem.setProperty("reason", "BAD_SEAT");
        problem.setProperty("errors", List.of("row Z does not exist"));
        ErrorResponseException failure = new ErrorResponseException(HttpStatus.UNPROCESSABLE_CONTENT, problem, null);
        failure.getHeaders().set(HttpHeaders.RETRY_AFTER, "3");
        return failure;
    }

    @Override
    public CompletableFuture<String> failLater(String how) {
        return CompletableFuture.failedFuture(failure(how));
    }

    @Override
    public Mono<String> failMono(String how) {
        return Mono.error(() -> failure(how));
    }

    @Override
    public Stream<String> failStream(String how) {
        return Stream.of("first", "second").map(item -> {
            if (item.equals("second")) {
                throw failure(how);
            }
            return item;
        });
    }

    @Override
    public Flux<String> failFlux(String how) {
        return Flux.concat(Flux.just("first"), Flux.error(() -> failure(how)));
    }

    @Override
    public String proxy(String url) {
        return String.valueOf(http.get().uri(url).retrieve().body(String.class));
    }
}
