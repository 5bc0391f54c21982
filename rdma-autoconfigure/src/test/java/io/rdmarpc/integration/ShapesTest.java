package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.model.Feed;
import io.rdmarpc.integration.model.Feed.Circle;
import io.rdmarpc.integration.model.Feed.Color;
import io.rdmarpc.integration.model.Feed.Square;
import io.rdmarpc.integration.model.FeedApplication;
import io.rdmarpc.integration.model.FeedBean;
import io.rdmarpc.rpc.RdmaRemoteException;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

@Timeout(60)
@DisplayName("Arguments and results of every shape, between two contexts")
class ShapesTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private static ConfigurableApplicationContext server;
    private static ConfigurableApplicationContext client;
    private static Feed feed;
    private static FeedBean bean;

    @BeforeAll
    static void start() {
        server = FeedApplication.server();
        client = FeedApplication.client(server);
        feed = client.getBean(Feed.class);
        bean = server.getBean(FeedBean.class);
    }

    @AfterAll
    static void stop() {
        if (client != null) {
            client.close();
        }
        if (server != null) {
            server.close();
        }
    }

    @BeforeEach
    void forget() {
        bean.cancelled.set(0);
        bean.subscribed.set(0);
        bean.told.clear();
    }

    /** However a call has ended, its thread is free again. */
    @AfterEach
    void noThreadIsLeftWaiting() {
        ThreadPoolTaskExecutor workers = server.getBean("rdmaServerExecutor", ThreadPoolTaskExecutor.class);
        Awaitility.await().until(() -> workers.getActiveCount() == 0);
    }

    @Test
    void whenAMonoIsSubscribedToThenItCallsEachTime() {
        var mono = feed.mono("Ada");

        assertThat(mono.block(SOON)).isEqualTo("mono Ada");
        assertThat(mono.block(SOON)).isEqualTo("mono Ada");
        assertThat(feed.mono("empty").blockOptional(SOON)).isEmpty();
        assertThat(feed.nothing().blockOptional(SOON)).isEmpty();
    }

    @Test
    void whenAMonoIsNotSubscribedToThenNothingIsCalled() {
        feed.never();

        assertThat(feed.mono("x").block(SOON)).isEqualTo("mono x");
        assertThat(bean.subscribed).hasValue(0);
    }

    @Test
    void whenAMonoFailsThenTheSubscriberGetsTheServersWords() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> feed.mono("fail").block(SOON))
                .withMessage("failed on purpose");
    }

    @Test
    void whenAMonoIsCancelledThenTheServersIsToo() {
        Disposable subscription = feed.never().subscribe();
        Awaitility.await().untilAtomic(bean.subscribed, Matchers.is(1));

        subscription.dispose();

        Awaitility.await().untilAtomic(bean.cancelled, Matchers.is(1));
    }

    @Test
    void whenAFluxIsSubscribedToThenAllElementsCome() {
        assertThat(feed.count(1_000).collectList().block(SOON))
                .containsExactlyElementsOf(IntStream.range(0, 1_000).boxed().toList());
        assertThat(feed.count(0).collectList().block(SOON)).isEmpty();
    }

    @Test
    void whenAFluxFailsThenWhatCameBeforeIsThere() {
        List<Integer> seen = new CopyOnWriteArrayList<>();

        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(() -> feed.count(-1).doOnNext(seen::add).blockLast(SOON))
                .withMessage("below zero");
        assertThat(seen).containsExactly(0, 1, 2);
    }

    @Test
    void whenASubscriberAsksForLittleThenTheServerProducesLittleMore() {
        List<Long> seen = new CopyOnWriteArrayList<>();
        bean.produced.set(0);
        BaseSubscriber<Long> slow = new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {
                subscription.request(3);
            }

            @Override
            protected void hookOnNext(Long value) {
                seen.add(value);
            }
        };

        feed.endless().subscribe(slow);
        Awaitility.await().until(() -> seen.size() == 3);
        Awaitility.await().during(Duration.ofMillis(200)).until(() -> bean.produced.get() < 100);
        slow.request(20);
        Awaitility.await().until(() -> seen.size() == 23);
        slow.cancel();

        Awaitility.await().untilAtomic(bean.cancelled, Matchers.is(1));
        assertThat(seen).startsWith(0L, 1L, 2L);
    }

    @Test
    void whenAFluxIsCancelledWhileNothingComesThenTheServersIsToo() {
        Disposable subscription = feed.silent().subscribe();
        Awaitility.await().untilAtomic(bean.subscribed, Matchers.is(1));

        subscription.dispose();

        Awaitility.await().untilAtomic(bean.cancelled, Matchers.is(1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whenASilentStreamIsLeftThenTheServersIsClosed(boolean deaf) {
        Stream<String> silent = feed.silentStream(deaf);
        Awaitility.await().untilAtomic(bean.subscribed, Matchers.is(1));

        silent.close();

        Awaitility.await().untilAtomic(bean.cancelled, Matchers.is(1));
    }

    @Test
    void whenAnArgumentIsAStreamThenItsElementsTravelOneByOne() throws Exception {
        assertThat(feed.sum(IntStream.rangeClosed(1, 1_000).boxed())).isEqualTo(500_500);
        assertThat(feed.sum(Stream.empty())).isZero();
        assertThat(feed.sumLater(List.of(1, 2, 3).iterator()).get()).isEqualTo(6);
        assertThat(feed.sumMono(10, Flux.range(1, 100)).block(SOON)).isEqualTo(5_060);
    }

    @Test
    void whenBothSidesStreamThenElementsGoBothWaysAtOnce() {
        assertThat(feed.shout("!", Flux.just("a", "b", "c")).collectList().block(SOON))
                .containsExactly("a!", "b!", "c!");
        assertThat(feed.shout("?", Flux.range(0, 500).map(String::valueOf))
                        .count()
                        .block(SOON))
                .isEqualTo(500);
    }

    @Test
    void whenTheServerHasEnoughThenTheCallersEndlessElementsStop() {
        Iterator<String> endless = Stream.iterate("a", word -> word + "a").iterator();

        try (Stream<String> firstTwo = feed.firstTwo(endless)) {
            assertThat(firstTwo).containsExactly("a", "aa");
        }
        assertThat(feed.sum(Stream.of(1))).isOne();
    }

    @Test
    void whenTheCallersElementsFailThenTheCallerGetsItsOwnReason() {
        Stream<Integer> broken = Stream.of(1, 0).map(divisor -> 1 / divisor);

        assertThatExceptionOfType(RpcException.class)
                .isThrownBy(() -> feed.sum(broken))
                .withMessageContaining("/ by zero")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.CANCELLED));
    }

    @Test
    void whenAResultIsOptionalThenItIsThereOrNot() {
        assertThat(feed.find("four")).contains(new Square(4));
        assertThat(feed.find("")).isEmpty();
    }

    @Test
    void whenArgumentsAreSealedOrEnumsThenTheyArriveAsWhatTheyAre() throws Exception {
        assertThat(feed.grow(new Circle(3), Color.GREEN)).isEqualTo(new Circle(4));
        assertThat(feed.grow(new Square(3), Color.RED)).isEqualTo(new Circle(3));
    }

    @Test
    void whenADeclaredExceptionIsThrownThenTheCallerCatchesIt() {
        assertThatExceptionOfType(Feed.TooLargeException.class)
                .isThrownBy(() -> feed.grow(new Circle(101), Color.RED))
                .withMessage("a radius of 101 is over 100")
                .withCauseInstanceOf(RdmaRemoteException.class);
    }

    @Test
    void whenMethodsAreGenericOverloadedInheritedOrDefaultThenEachIsItself() {
        assertThat(feed.lookUp("four")).containsExactly(4);
        assertThat(feed.lookUp("four", List.of(7))).containsExactly(7);
        assertThat(feed.lookUpTwice("seven")).containsExactly(5);
    }

    @Test
    void whenAMethodIsOneWayThenItRunsAndItsFailureIsNotTold() {
        for (int i = 0; i < 5; i++) {
            feed.tell("word " + i);
        }
        feed.tellBadly();

        Awaitility.await().until(() -> bean.told.size() == 6);
        assertThat(new ArrayList<>(bean.told)).contains("word 0", "word 4", "badly");
    }

    @Test
    void whenAnInterceptorPutsMetadataThenTheBeanReadsItInEveryShape() throws Exception {
        assertThat(feed.tenant()).isEqualTo("Zürich");
        assertThat(CompletableFuture.supplyAsync(feed::tenant).get()).isEqualTo("Zürich");
    }

    @Test
    void whenElementsAreMadeAsTheyAreTakenThenTheyAreMadeInTheirCall() {
        try (Stream<String> tenants = feed.tenants()) {
            assertThat(tenants).containsExactly("Zürich", "Zürich", "Zürich");
        }
        assertThat(feed.tenantIterator()).toIterable().containsOnly("Zürich");
        assertThat(feed.tenantFlux().collectList().block(SOON)).containsExactly("Zürich", "Zürich");
    }

    @Test
    void whenAProxyIsAskedWhoItIsThenItSaysServiceVersionAndTarget() {
        assertThat(feed).hasToString(feed.toString()).isEqualTo(feed);
        assertThat(feed.toString()).contains("tests/test.Feed:2").contains("default");
        assertThat(feed.hashCode()).isEqualTo(feed.hashCode());
    }
}
