package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A client and the responses of a server to its HELLO. */
class ClientHelloTest extends StrangeServerFixture {

    @ParameterizedTest
    @EnumSource(SessionRejectReason.class)
    @DisplayName("CP-09 FL-12 a rejected connection: the server's reason arrives")
    void whenTheServerRejectsTheConnectionThenTheReasonArrives(SessionRejectReason code) {
        serveHello(new ControlMessage.Rejection(code, "these words"), true);

        expectRejection(code);
    }

    @Test
    @DisplayName("CP-16 CP-15 a server that never responds")
    void whenTheServerIsSilentThenTheClientFails() {
        serve(client -> client.awaitClosed("the client stays"));

        assertThat(connectFails(Duration.ofMillis(700))).isInstanceOf(RdmaUnavailableException.class);
    }

    @Test
    @DisplayName("CP-16 a server that closes before, during and after its WELCOME")
    void whenTheServerClosesThenTheClientFails() {
        byte[] bytes = ControlCodec.encode(PlayedPeer.WELCOME);
        int[] length = {0};
        serve(client -> {
            if (length[0]++ % 3 > 0) {
                client.read();
            }
            client.send(bytes, length[0] % bytes.length);
        });

        assertThat(connectFails(Duration.ofMillis(1_500))).isInstanceOf(RdmaUnavailableException.class);
    }

    @Test
    @DisplayName("CP-16 CP-15 a server that sends WELCOME byte by byte does not get more time")
    void whenTheServerSendsSlowlyThenTheClientFails() {
        byte[] bytes = ControlCodec.encode(PlayedPeer.WELCOME);
        serve(client -> {
            for (byte each : bytes) {
                client.send(each);
                try {
                    Thread.sleep(150);
                } catch (InterruptedException e) {
                    return;
                }
            }
            client.awaitClosed("the client stays");
        });

        assertThat(connectFails(Duration.ofMillis(700))).isInstanceOf(RdmaUnavailableException.class);
    }

    @Test
    @DisplayName("CP-10 a server of the oldest supported protocol is used")
    void whenTheServerUsesTheOldestSupportedVersionThenTheClientOpensASession() throws Exception {
        CompletableFuture<ControlMessage.Open> opened = new CompletableFuture<>();
        serve(client -> {
            client.read();
            client.send(PlayedPeer.welcome(ControlCodec.OLDEST_VERSION));
            opened.complete(client.await(ControlMessage.Open.class));
        });

        RdmaRpcException _ = connectFails(Duration.ofSeconds(1));

        assertThat(opened.get(10, TimeUnit.SECONDS).link()).isPositive();
    }

    static Stream<Arguments> invalidResponses() {
        return Stream.of(
                Arguments.of("another version", PlayedPeer.welcome(ControlCodec.VERSION + 1)),
                Arguments.of("an older version", PlayedPeer.welcome(ControlCodec.OLDEST_VERSION - 1)),
                Arguments.of("a session", PlayedPeer.opened(1, 8, PlayedPeer.ENDPOINT)),
                Arguments.of("a HEARTBEAT", new ControlMessage.Heartbeat()),
                Arguments.of("a GOODBYE", new ControlMessage.Goodbye("bye")),
                Arguments.of("a HELLO", PlayedPeer.HELLO));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalidResponses")
    @DisplayName("CP-16 an invalid response to HELLO")
    void whenTheResponseToHelloIsInvalidThenTheClientFails(String what, ControlMessage response) {
        serveHello(response, false);

        assertThat(connectFails(Duration.ofMillis(200))).isInstanceOf(RdmaRpcException.class);
    }

    @Test
    @DisplayName("CP-16 random bytes")
    void whenTheServerSendsGarbageThenTheClientFails() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        serve(client -> {
            byte[] bytes = new byte[100];
            synchronized (random) {
                random.nextBytes(bytes);
            }
            bytes[0] |= (byte) 0x80;
            client.send(bytes);
            client.awaitClosed("seed " + seed);
        });

        assertThat(connectFails(Duration.ofMillis(500)))
                .as("seed %d", seed)
                .isInstanceOf(RdmaUnavailableException.class);
    }
}
