package io.rdmarpc.integration.model;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Every shape of argument and result. */
@RdmaService(name = "test.Feed", version = "2", group = "tests")
public interface Feed extends Lookup<String, List<Integer>> {

    Mono<String> mono(String text);

    Mono<Void> nothing();

    Mono<String> never();

    Flux<Integer> count(int upTo);

    Flux<Long> endless();

    Flux<String> silent();

    /** Gives no element; waits for an interrupt, or is deaf to interrupts and waits to be closed. */
    Stream<String> silentStream(boolean deaf);

    long sum(Stream<Integer> numbers);

    CompletableFuture<Long> sumLater(Iterator<Integer> numbers);

    Mono<Long> sumMono(int start, Flux<Integer> numbers);

    Flux<String> shout(String suffix, Flux<String> words);

    Stream<String> firstTwo(Iterator<String> words);

    Optional<Shape> find(String name);

    String tenant();

    /** Each element is read from the call when it is taken. */
    Stream<String> tenants();

    Iterator<String> tenantIterator();

    Flux<String> tenantFlux();

    @RdmaMethod(oneWay = true)
    void tell(String word);

    @RdmaMethod(oneWay = true)
    void tellBadly();

    List<String> heard();

    Circle grow(Shape shape, Color color) throws TooLargeException;

    /** A sealed type as an argument. */
    sealed interface Shape permits Circle, Square {}

    record Circle(int radius) implements Shape {}

    record Square(int side) implements Shape {}

    enum Color {
        RED,
        GREEN {
            @Override
            public String toString() {
                return "a body of its own";
            }
        }
    }

    /** Known to both sides. */
    class TooLargeException extends Exception {

        private static final long serialVersionUID = 1L;

        public TooLargeException(String message) {
            super(message);
        }
    }
}
