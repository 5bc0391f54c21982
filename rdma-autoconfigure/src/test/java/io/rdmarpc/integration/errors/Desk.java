package io.rdmarpc.integration.errors;

import io.rdmarpc.annotation.RdmaFailureFields;
import io.rdmarpc.annotation.RdmaService;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Sells seats, and fails in each way. */
@RdmaService(name = "test.Desk")
public interface Desk {

    record Booking(@NotBlank String guest, @Positive int seats) {}

    record Seat(String row, int number) {}

    @RdmaFailureFields
    class SoldOutException extends Exception {

        private static final long serialVersionUID = 1L;

        private final String show;
        private final transient List<Seat> left;

        public SoldOutException(String message, String show, List<Seat> left, Throwable cause) {
            super(message, cause);
            this.show = show;
            this.left = left;
        }

        public String show() {
            return show;
        }

        public List<Seat> getLeft() {
            return left;
        }
    }

    int book(@Valid Booking booking);

    int reserve(String show, int seats) throws SoldOutException;

    String fail(String how);

    CompletableFuture<String> failLater(String how);

    Mono<String> failMono(String how);

    Stream<String> failStream(String how);

    Flux<String> failFlux(String how);

    /** Calls a URL, whose response may be a failure. */
    String proxy(String url);
}
