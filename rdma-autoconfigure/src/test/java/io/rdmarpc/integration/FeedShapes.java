package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.model.Feed;
import io.rdmarpc.integration.model.Feed.Circle;
import io.rdmarpc.integration.model.Feed.Color;
import io.rdmarpc.integration.model.Feed.Square;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Calls that must go the same way wherever the server is. */
abstract class FeedShapes {

    static final Duration SOON = Duration.ofSeconds(20);

    /** A client whose interceptor says for whom it calls. */
    abstract Feed feed();

    @Test
    void whenAMonoIsSubscribedToThenItCallsEachTime() {
        var mono = feed().mono("Ada");

        assertThat(mono.block(SOON)).isEqualTo("mono Ada");
        assertThat(mono.block(SOON)).isEqualTo("mono Ada");
        assertThat(feed().mono("empty").blockOptional(SOON)).isEmpty();
        assertThat(feed().nothing().blockOptional(SOON)).isEmpty();
    }

    @Test
    void whenAMonoFailsThenTheSubscriberGetsTheServersWords() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> feed().mono("fail").block(SOON))
                .withMessageEndingWith("failed on purpose");
    }

    @Test
    void whenAFluxIsSubscribedToThenAllElementsCome() {
        assertThat(feed().count(2_000).collectList().block(SOON))
                .containsExactlyElementsOf(IntStream.range(0, 2_000).boxed().toList());
        assertThat(feed().count(0).collectList().block(SOON)).isEmpty();
    }

    @Test
    void whenAFluxFailsThenWhatCameBeforeIsThere() {
        List<Integer> seen = new CopyOnWriteArrayList<>();

        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> feed().count(-1).doOnNext(seen::add).blockLast(SOON))
                .withMessageEndingWith("below zero");
        assertThat(seen).containsExactly(0, 1, 2);
    }

    @Test
    void whenAnArgumentIsAStreamThenItsElementsTravelOneByOne() throws Exception {
        assertThat(feed().sum(IntStream.rangeClosed(1, 2_000).boxed())).isEqualTo(2_001_000);
        assertThat(feed().sum(Stream.empty())).isZero();
        assertThat(feed().sumLater(List.of(1, 2, 3).iterator()).get()).isEqualTo(6);
        assertThat(feed().sumMono(10, Flux.range(1, 100)).block(SOON)).isEqualTo(5_060);
    }

    @Test
    void whenBothSidesStreamThenElementsGoBothWaysAtOnce() {
        assertThat(feed().shout("!", Flux.just("a", "b", "c")).collectList().block(SOON))
                .containsExactly("a!", "b!", "c!");
        assertThat(feed().shout("?", Flux.range(0, 500).map(String::valueOf))
                        .count()
                        .block(SOON))
                .isEqualTo(500);
    }

    @Test
    void whenTheServerHasEnoughThenTheCallersEndlessElementsStop() {
        try (Stream<String> firstTwo =
                feed().firstTwo(Stream.iterate("a", word -> word + "a").iterator())) {
            assertThat(firstTwo).containsExactly("a", "aa");
        }
        assertThat(feed().sum(Stream.of(1))).isOne();
    }

    @Test
    void whenTheCallersElementsFailThenTheCallerGetsItsOwnReason() {
        Stream<Integer> broken = Stream.of(1, 0).map(divisor -> 1 / divisor);

        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> feed().sum(broken))
                .withMessageContaining("/ by zero")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.CANCELLED));
    }

    @Test
    void whenAResultIsOptionalThenItIsThereOrNot() {
        assertThat(feed().find("four")).contains(new Square(4));
        assertThat(feed().find("")).isEmpty();
    }

    @Test
    void whenArgumentsAreSealedOrEnumsThenTheyArriveAsWhatTheyAre() throws Exception {
        assertThat(feed().grow(new Circle(3), Color.GREEN)).isEqualTo(new Circle(4));
        assertThat(feed().grow(new Square(3), Color.RED)).isEqualTo(new Circle(3));
    }

    @Test
    void whenADeclaredExceptionIsThrownThenTheCallerCatchesIt() {
        assertThatExceptionOfType(Feed.TooLargeException.class)
                .isThrownBy(() -> feed().grow(new Circle(101), Color.RED))
                .withMessage("a radius of 101 is over 100")
                .withCauseInstanceOf(RdmaRemoteException.class);
    }

    @Test
    void whenMethodsAreGenericOverloadedInheritedOrDefaultThenEachIsItself() {
        assertThat(feed().lookUp("four")).containsExactly(4);
        assertThat(feed().lookUp("four", List.of(7))).containsExactly(7);
        assertThat(feed().lookUpTwice("seven")).containsExactly(5);
    }

    @Test
    void whenAMethodIsOneWayThenItRunsAndItsFailureIsNotTold() {
        feed().tell("word");
        feed().tell("another");
        feed().tellBadly();

        Awaitility.await()
                .untilAsserted(() -> assertThat(feed().heard()).containsExactlyInAnyOrder("word", "another", "badly"));
    }

    @Test
    void whenAnInterceptorPutsMetadataThenTheBeanReadsItInEveryShape() throws Exception {
        assertThat(feed().tenant()).isEqualTo("Zürich");
        assertThat(CompletableFuture.supplyAsync(feed()::tenant).get()).isEqualTo("Zürich");
    }

    @Test
    void whenElementsAreMadeAsTheyAreTakenThenTheyAreMadeInTheirCall() {
        try (Stream<String> tenants = feed().tenants()) {
            assertThat(tenants).containsExactly("Zürich", "Zürich", "Zürich");
        }
        assertThat(feed().tenantIterator()).toIterable().containsOnly("Zürich");
        assertThat(feed().tenantFlux().collectList().block(SOON)).containsExactly("Zürich", "Zürich");
    }
}
