package io.rdmarpc.benchmarks.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.epoll.Epoll;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Cell;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.load.Payload;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Everyone in two processes, as it is measured, with a few calls of each kind. Answers are looked at by the clients. */
@DisplayName("Who is measured")
@Timeout(300)
class PeersTest {

    @ParameterizedTest
    @EnumSource
    void answersWhatItCarries(Peers peer) throws IOException {
        // gRPC is measured with the transport that it recommends, which is for Linux.
        assumeThat(peer.name().startsWith("GRPC") && !Epoll.isAvailable())
                .as("no epoll here")
                .isFalse();
        try (Pair pair = Pair.start(Peers.class, peer.name())) {
            for (Payload payload : Payload.values()) {
                if (peer.carries(payload)) {
                    assertThat(pair.measure(Cell.of(payload, Callers.PLATFORM, 1), 0)
                                    .outcome()
                                    .calls())
                            .as("%s, waited for", payload)
                            .isEqualTo(1);
                    if (peer.isAsynchronous()) {
                        assertThat(pair.measure(Cell.of(payload, Callers.ASYNC, 16), 0)
                                        .outcome()
                                        .calls())
                                .as("%s, not waited for", payload)
                                .isEqualTo(16);
                    }
                }
            }
        }
    }
}
