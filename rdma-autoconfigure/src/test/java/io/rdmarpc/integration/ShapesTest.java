package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.model.Feed;
import io.rdmarpc.integration.model.FeedApplication;
import io.rdmarpc.integration.model.FeedBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
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

@Timeout(60)
@DisplayName("Arguments and results of every shape, between two contexts")
class ShapesTest extends FeedShapes {

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

    @Override
    Feed feed() {
        return feed;
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
    void whenAMonoIsNotSubscribedToThenNothingIsCalled() {
        feed.never();

        assertThat(feed.mono("x").block(SOON)).isEqualTo("mono x");
        assertThat(bean.subscribed).hasValue(0);
    }

    @Test
    void whenAMonoIsCancelledThenTheServersIsToo() {
        Disposable subscription = feed.never().subscribe();
        Awaitility.await().untilAtomic(bean.subscribed, Matchers.is(1));

        subscription.dispose();

        Awaitility.await().untilAtomic(bean.cancelled, Matchers.is(1));
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
    void whenAProxyIsAskedWhoItIsThenItSaysServiceVersionAndTarget() {
        assertThat(feed).hasToString(feed.toString()).isEqualTo(feed);
        assertThat(feed.toString()).contains("tests/test.Feed:2").contains("default");
        assertThat(feed.hashCode()).isEqualTo(feed.hashCode());
    }
}
