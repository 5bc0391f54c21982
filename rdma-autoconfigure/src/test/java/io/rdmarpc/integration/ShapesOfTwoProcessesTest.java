package io.rdmarpc.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.integration.app.ServerProcess;
import io.rdmarpc.integration.model.Feed;
import io.rdmarpc.integration.model.FeedApplication;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(120)
@DisplayName("Arguments and results of every shape, between two JVMs")
@Tag("processes")
class ShapesOfTwoProcessesTest {

    @Nested
    @DisplayName("over shared memory")
    class SharedMemory extends OverLink {

        SharedMemory() {
            super("true");
        }
    }

    @Nested
    @DisplayName("over UDP")
    class Udp extends OverLink {

        Udp() {
            super("false");
        }
    }

    /** The same calls over each link. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OverLink extends FeedShapes {

        private final String link;
        private ServerProcess server;
        private ConfigurableApplicationContext client;
        private Feed feed;

        OverLink(String sharedMemory) {
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

        @Override
        Feed feed() {
            return feed;
        }

        @Test
        void whenAFluxIsLeftThenOthersGoOn() {
            assertThat(feed.endless().take(50).collectList().block(SOON)).hasSize(50);
            assertThat(feed.count(1).collectList().block(SOON)).containsExactly(0);
        }

        @Test
        void whenStreamsAreLeftThenOthersGoOn() {
            for (int i = 0; i < 20; i++) {
                try (Stream<String> silent = feed.silentStream(false)) {
                    assertThat(silent).isNotNull();
                }
            }
            assertThat(feed.sum(Stream.of(1, 2))).isEqualTo(3);
        }
    }
}
