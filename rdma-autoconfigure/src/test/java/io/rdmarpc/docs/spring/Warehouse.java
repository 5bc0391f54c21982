package io.rdmarpc.docs.spring;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@RdmaService(name = "warehouse", version = "1")
public interface Warehouse {

    Optional<Item> find(String article);

    void store(@Valid Item item) throws WarehouseFullException;

    @RdmaMethod(timeout = "2s", idempotent = true, attempts = 3, attemptTimeout = "500ms")
    int count(String article);

    @RdmaMethod(execution = RdmaMethod.Execution.INLINE)
    long revision();

    @RdmaMethod(executor = "reports")
    CompletableFuture<String> report();

    @RdmaMethod(oneWay = true)
    void seen(String article);

    Mono<Item> last();

    Stream<Item> all();

    Flux<Integer> counts(Flux<String> articles);

    int storeAll(Stream<Item> items);

    record Item(@NotBlank String article, @Positive int count) {}

    class WarehouseFullException extends Exception {

        private static final long serialVersionUID = 1L;

        public WarehouseFullException(String message) {
            super(message);
        }
    }
}
