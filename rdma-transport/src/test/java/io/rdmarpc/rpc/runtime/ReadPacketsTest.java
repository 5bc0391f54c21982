package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * READ packets that are lost, duplicated or late. Over UDP, because over shared memory a READ is a copy without
 * packets.
 */
@Timeout(300)
class ReadPacketsTest {

    private final Conversation conversation = new Conversation();

    @AfterEach
    void close() {
        conversation.close();
    }

    @ParameterizedTest
    @CsvSource({
        "CLIENT, drop, READ",
        "CLIENT, duplicate, READ",
        "SERVER, drop, READ_RESPONSE",
        "SERVER, duplicate, READ_RESPONSE",
        "SERVER, drop, READ",
        "SERVER, duplicate, READ",
        "CLIENT, drop, READ_RESPONSE",
        "CLIENT, duplicate, READ_RESPONSE"
    })
    @DisplayName("LO-07 LO-10 each READ packet in turn is lost or duplicated: each READ ends once")
    void whenAReadPacketIsLostOrDuplicatedThenEachReadEndsOnce(Conversation.Side side, String action, String kind)
            throws Exception {
        for (int number = 1; number <= 5; number++) {
            conversation.hold(SoftLink.UDP, side, action + " " + number + " " + kind);
        }
    }

    @Test
    @DisplayName("LO-09 SM-11 a call whose deadline passes while its response is READ: the READ has no effect")
    void whenTheDeadlinePassesWhileTheResponseIsReadThenTheReadHasNoEffect() {
        String[] slow = SoftLink.UDP.options("soft.faults.script=delay 2-1000 READ_RESPONSE 300ms");
        try (RdmaRuntime serving = Runtimes.open(slow);
                RdmaRuntime calling = Runtimes.open(SoftLink.UDP.options())) {
            serving.export(conversation.export());
            RpcSession session =
                    Runtimes.channel(calling, Runtimes.listen(serving)).session(LONG);
            // Its response is one packet, the only one that arrives at once, so that the connection exists then.
            Runtimes.echo(session, Conversation.COUNT.id(), session.maxPacketPayload() + 1, 1);

            CompletableFuture<byte[]> late = Echo.call(
                    session, Conversation.COUNT.id(), Echo.payload(Conversation.LARGE, 2), Duration.ofMillis(150));

            assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(() -> Runtimes.get(late));
            assertThat(calling.statistics().reads()).as("completed READs").isOne();
            for (int i = 0; i < 2 * Conversation.WINDOW; i++) {
                Runtimes.echo(session, Conversation.COUNT.id(), 100 + i, i);
            }
            Runtimes.await(
                    "the READ's memory to be free", () -> calling.memory().inUseBytes() < Conversation.LARGE);
            assertThat(session.isOpen()).isTrue();
        }
    }
}
