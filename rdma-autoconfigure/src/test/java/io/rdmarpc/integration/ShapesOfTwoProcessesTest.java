package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.integration.model.Feed;
import io.rdmarpc.integration.model.Feed.Circle;
import io.rdmarpc.integration.model.Feed.Color;
import io.rdmarpc.integration.model.Feed.Square;
import io.rdmarpc.integration.model.FeedApplication;
import io.rdmarpc.rpc.RdmaRemoteException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Flux;

@Timeout(120)
@DisplayName("Arguments and results of every shape, between two JVMs")
class ShapesOfTwoProcessesTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    @Nested
    @DisplayName("over shared memory")
    class SharedMemory extends Shapes {

        SharedMemory() {
            super("true");
        }
    }

    @Nested
    @DisplayName("over UDP")
    class Udp extends Shapes {

        Udp() {
            super("false");
        }
    }

    /** The same calls over each link. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Shapes {

        private final String link;
        private ServerProcess server;
        private ConfigurableApplicationContext client;
        private Feed feed;

        Shapes(String sharedMemory) {
            this.link = "rdma.soft.shared-memory.enabled=" + sharedMemory;
        }

        @BeforeAll
        void start() throws IOException {
            server = ServerProcess.start(FeedApplication.Server.class, link);
            client = FeedApplication.client(server.address(), link, "rdma.client.timeout=20s");
            feed = client.getBean(Feed.class);
        }

        @AfterAll
        void stop() {
            if (client != null) {
                client.close();
            }
            if (server != null) {
                server.close();
            }
        }

        @Test
        void whenReactorTypesAreReturnedThenTheyComeAndFailAsThere() {
            assertThat(feed.mono("Ada").block(SOON)).isEqualTo("mono Ada");
            assertThat(feed.mono("empty").blockOptional(SOON)).isEmpty();
            assertThat(feed.nothing().blockOptional(SOON)).isEmpty();
            assertThatExceptionOfType(RdmaRemoteException.class)
                    .isThrownBy(() -> feed.mono("fail").block(SOON))
                    .withMessage("failed on purpose");
            assertThat(feed.count(2_000).collectList().block(SOON))
                    .containsExactlyElementsOf(IntStream.range(0, 2_000).boxed().toList());
            assertThat(feed.endless().take(50).collectList().block(SOON)).hasSize(50);
            assertThatExceptionOfType(RdmaRemoteException.class)
                    .isThrownBy(() -> feed.count(-1).blockLast(SOON))
                    .withMessage("below zero");
        }

        @Test
        void whenAnArgumentIsAStreamThenItsElementsTravelOneByOne() throws Exception {
            assertThat(feed.sum(IntStream.rangeClosed(1, 2_000).boxed())).isEqualTo(2_001_000);
            assertThat(feed.sumLater(List.of(1, 2, 3).iterator()).get()).isEqualTo(6);
            assertThat(feed.sumMono(10, Flux.range(1, 100)).block(SOON)).isEqualTo(5_060);
        }

        @Test
        void whenBothSidesStreamThenElementsGoBothWays() {
            assertThat(feed.shout("!", Flux.just("a", "b", "c")).collectList().block(SOON))
                    .containsExactly("a!", "b!", "c!");
            try (Stream<String> firstTwo =
                    feed.firstTwo(Stream.iterate("a", word -> word + "a").iterator())) {
                assertThat(firstTwo).containsExactly("a", "aa");
            }
        }

        @Test
        void whenAStreamIsLeftThenOthersGoOn() {
            for (int i = 0; i < 20; i++) {
                try (Stream<String> silent = feed.silentStream(false)) {
                    assertThat(silent).isNotNull();
                }
            }
            assertThat(feed.sum(Stream.of(1, 2))).isEqualTo(3);
        }

        @Test
        void whenAMethodIsOneWayThenItRuns() {
            feed.tell("one way");
            feed.tellBadly();

            Awaitility.await().untilAsserted(() -> assertThat(feed.heard()).contains("one way", "badly"));
        }

        @Test
        void whenValuesAreOptionalSealedOrEnumsThenTheyArriveAsWhatTheyAre() throws Exception {
            assertThat(feed.find("four")).contains(new Square(4));
            assertThat(feed.find("")).isEmpty();
            assertThat(feed.grow(new Circle(3), Color.GREEN)).isEqualTo(new Circle(4));
            assertThat(feed.lookUp("four")).containsExactly(4);
        }

        @Test
        void whenADeclaredExceptionIsThrownThenTheCallerCatchesIt() {
            assertThatExceptionOfType(Feed.TooLargeException.class)
                    .isThrownBy(() -> feed.grow(new Circle(101), Color.RED))
                    .withMessage("a radius of 101 is over 100")
                    .withCauseInstanceOf(RdmaRemoteException.class);
        }

        @Test
        void whenTheClientPutsMetadataThenTheServerReadsItInEveryShape() {
            assertThat(feed.tenant()).isEqualTo("Zürich");
            assertThat(feed.tenantFlux().collectList().block(SOON)).containsExactly("Zürich", "Zürich");
            try (Stream<String> tenants = feed.tenants()) {
                assertThat(tenants).containsExactly("Zürich", "Zürich", "Zürich");
            }
        }
    }
}
