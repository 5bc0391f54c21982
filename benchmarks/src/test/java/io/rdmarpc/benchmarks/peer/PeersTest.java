package io.rdmarpc.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Contestant.Client;
import io.rdmarpc.benchmarks.load.OneCallEach;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.load.Payload;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls of each kind with each peer between two processes. The clients check the responses. */
@DisplayName("A peer that is measured")
@Timeout(300)
@Tag("processes")
class PeersTest {

    private static PeersServer server;

    @BeforeAll
    static void startServer() throws IOException {
        server = new PeersServer();
    }

    @AfterAll
    static void endServer() throws IOException {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldRespondToEverySupportedPayload(Peers peer) throws Exception {
        // Skips gRPC without epoll: it is measured with the transport that it recommends, which needs Linux.
        assumeThat(peer.name().startsWith("GRPC") && !Epoll.isAvailable())
                .as("no epoll here")
                .isFalse();
        try (Client client = peer.contestant().connect(server.serve(peer))) {
            for (Payload payload : Payload.values()) {
                if (peer.carries(payload)) {
                    assertThat(OneCallEach.of(client, Cell.of(payload, Callers.PLATFORM, 1)))
                            .as("%s, blocking", payload)
                            .isEqualTo(1);
                    if (peer.isAsynchronous()) {
                        assertThat(OneCallEach.of(client, Cell.of(payload, Callers.ASYNC, 16)))
                                .as("%s, asynchronous", payload)
                                .isEqualTo(16);
                    }
                }
            }
        }
    }

    @Test
    void whenItIsMeasuredThenBothEndsAreSeparateProcesses() throws IOException {
        try (Pair pair = Pair.start(Peers.class, Peers.SPRING_DEFAULTS.name())) {
            assertThat(pair.measure(Cell.of(Payload.ORDER, Callers.PLATFORM, 1), 0)
                            .outcome()
                            .calls())
                    .isEqualTo(1);
        }
    }
}
