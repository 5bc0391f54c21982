package io.rdmarpc.integration.model;

import io.rdmarpc.service.ServerCallContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a server does for {@link Feed}. */
public class FeedBean implements Feed {

    public final List<String> told = Collections.synchronizedList(new ArrayList<>());
    public final AtomicInteger cancelled = new AtomicInteger();
    public final AtomicInteger subscribed = new AtomicInteger();
    public final AtomicLong produced = new AtomicLong();

    @Override
    public Mono<String> mono(String text) {
        return switch (text) {
            case "empty" -> Mono.empty();
            case "fail" -> Mono.error(new IllegalStateException("failed on purpose"));
            default -> Mono.delay(Duration.ofMillis(5)).map(_ -> "mono " + text);
        };
    }

    @Override
    public Mono<Void> nothing() {
        return Mono.empty();
    }

    @Override
    public Mono<String> never() {
        return Mono.<String>never()
                .doOnSubscribe(_ -> subscribed.incrementAndGet())
                .doOnCancel(cancelled::incrementAndGet);
    }

    @Override
    public Flux<Integer> count(int upTo) {
        return upTo < 0
                ? Flux.range(0, 3).concatWith(Flux.error(new IllegalStateException("below zero")))
                : Flux.range(0, upTo);
    }

    @Override
    public Flux<Long> endless() {
        return Flux.<Long>generate(sink -> sink.next(produced.getAndIncrement()))
                .doOnCancel(cancelled::incrementAndGet);
    }

    @Override
    public Flux<String> silent() {
        return Flux.<String>never()
                .doOnSubscribe(_ -> subscribed.incrementAndGet())
                .doOnCancel(cancelled::incrementAndGet);
    }

    @Override
    public Stream<String> silentStream(boolean deaf) {
        CountDownLatch closed = new CountDownLatch(1);
        return Stream.generate(() -> waitFor(closed, deaf)).onClose(() -> {
            cancelled.incrementAndGet();
            closed.countDown();
        });
    }

    private String waitFor(CountDownLatch closed, boolean deaf) {
        subscribed.incrementAndGet();
        while (closed.getCount() > 0) {
            try {
                closed.await();
            } catch (InterruptedException e) {
                if (!deaf) {
                    throw new IllegalStateException(e);
                }
            }
        }
        throw new IllegalStateException("closed");
    }

    @Override
    public long sum(Stream<Integer> numbers) {
        return numbers.mapToLong(Integer::longValue).sum();
    }

    @Override
    public CompletableFuture<Long> sumLater(Iterator<Integer> numbers) {
        return CompletableFuture.supplyAsync(() -> {
            long sum = 0;
            while (numbers.hasNext()) {
                sum += numbers.next();
            }
            return sum;
        });
    }

    @Override
    public Mono<Long> sumMono(int start, Flux<Integer> numbers) {
        return numbers.reduce((long) start, Long::sum);
    }

    @Override
    public Flux<String> shout(String suffix, Flux<String> words) {
        return words.map(word -> word + suffix);
    }

    @Override
    public Stream<String> firstTwo(Iterator<String> words) {
        return Stream.of(words.next(), words.next());
    }

    @Override
    public Optional<Shape> find(String name) {
        return name.isEmpty() ? Optional.empty() : Optional.of(new Square(name.length()));
    }

    @Override
    public String tenant() {
        return String.valueOf(
                Objects.requireNonNull(ServerCallContext.current()).metadata().get("tenant"));
    }

    @Override
    public Stream<String> tenants() {
        return Stream.generate(this::tenant).limit(3);
    }

    @Override
    public Iterator<String> tenantIterator() {
        return tenants().iterator();
    }

    @Override
    public Flux<String> tenantFlux() {
        Mono<String> here = Mono.fromSupplier(this::tenant);
        Mono<String> elsewhere = Mono.deferContextual(context -> Mono.just(context)
                .delayElement(Duration.ofMillis(1))
                .map(later -> String.valueOf(
                        later.get(ServerCallContext.class).metadata().get("tenant"))));
        return Flux.concat(here, elsewhere);
    }

    @Override
    public void tell(String word) {
        told.add(word);
    }

    @Override
    public void tellBadly() {
        told.add("badly");
        throw new IllegalStateException("nobody hears of it");
    }

    @Override
    public List<String> heard() {
        return List.copyOf(told);
    }

    @Override
    public Circle grow(Shape shape, Color color) throws TooLargeException {
        return switch (shape) {
            case Circle(int radius)
            when radius > 100 -> throw new TooLargeException("a radius of " + radius + " is over 100");
            case Circle(int radius) -> new Circle(color == Color.GREEN ? radius + 1 : radius);
            case Square(int side) -> new Circle(side);
        };
    }

    @Override
    public List<Integer> lookUp(String key) {
        return List.of(key.length());
    }

    @Override
    public List<Integer> lookUp(String key, List<Integer> otherwise) {
        return otherwise;
    }
}
