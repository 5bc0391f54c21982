package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.rpc.wire.Nonce;
import io.rdmarpc.transport.RcEndpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server and the messages of a client during the handshake, in each of its states. */
class ServerHelloTest extends StrangeClientFixture {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    @DisplayName("CP-10 a client of an older protocol is rejected with a reason")
    void whenTheVersionIsOlderThenTheClientIsRejected(int version) throws IOException {
        ControlMessage.Rejection rejection = (ControlMessage.Rejection) exchange(PlayedPeer.hello(version));

        assertThat(rejection.reason()).isEqualTo(SessionRejectReason.VERSION);
        assertThat(rejection.detail()).contains("the client uses protocol version " + version);
    }

    @Test
    @DisplayName("CP-10 a client of the oldest supported protocol gets a response of its version")
    void whenTheVersionIsTheOldestSupportedOneThenTheServerUsesIt() throws IOException {
        ControlMessage.Welcome welcome =
                (ControlMessage.Welcome) exchange(PlayedPeer.hello(ControlCodec.OLDEST_VERSION));

        assertThat(welcome.version()).isEqualTo(ControlCodec.OLDEST_VERSION);
    }

    @Test
    @DisplayName("CP-10 a client of a newer protocol gets a response of the server's version")
    void whenTheVersionIsNewerThenTheServerUsesItsOwn() throws IOException {
        ControlMessage.Welcome welcome = (ControlMessage.Welcome) exchange(PlayedPeer.hello(9));

        assertThat(welcome.version()).isEqualTo(ControlCodec.VERSION);
    }

    @Test
    @DisplayName("CP-16 close before, during and after HELLO and OPEN, at every byte")
    void whenTheClientClosesAtAnyByteThenNoResourceIsLeaked() throws IOException {
        byte[] hello = ControlCodec.encode(PlayedPeer.HELLO);
        byte[] open = ControlCodec.encode(PlayedPeer.open(1));
        byte[] bytes = ByteBuffer.allocate(hello.length + open.length)
                .put(hello)
                .put(open)
                .array();
        for (int length = 0; length <= bytes.length; length++) {
            try (PlayedPeer client = PlayedPeer.connect(port())) {
                client.send(bytes, length);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, 5, 20})
    @DisplayName("CP-16 CP-15 a client that stalls during its HELLO is disconnected")
    void whenTheClientStallsThenItIsDisconnected(int length) throws IOException {
        byte[] bytes = ControlCodec.encode(PlayedPeer.HELLO);
        try (PlayedPeer client = PlayedPeer.connect(port())) {
            client.send(bytes, length);
            client.awaitClosed("a stalling client stays connected");
        }
    }

    @Test
    @DisplayName("CP-16 CP-15 a client that sends its HELLO byte by byte does not get more time")
    void whenTheClientSendsSlowlyThenItIsDisconnected() throws IOException {
        byte[] bytes = ControlCodec.encode(PlayedPeer.HELLO);
        long start = System.nanoTime();
        try (PlayedPeer client = PlayedPeer.connect(port())) {
            for (byte each : bytes) {
                Thread.sleep(100);
                client.send(each);
            }
            client.awaitClosed("a dripping client stays connected");
        } catch (IOException e) {
            // Closed by the server, as expected.
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(Runtimes.since(start)).isLessThan(Duration.ofMillis(100L * bytes.length));
    }

    @Test
    @DisplayName("CP-16 random bytes")
    void whenTheClientSendsGarbageThenItIsDisconnected() throws IOException {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 50; i++) {
            byte[] bytes = new byte[8 + random.nextInt(200)];
            random.nextBytes(bytes);
            bytes[0] |= (byte) 0x80;
            garbage(bytes, "seed " + seed + ", round " + i);
        }
        garbage("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII), "http");
    }

    @Test
    @DisplayName("CP-16 a HELLO with a few changed bits is rejected or accepted, and leaves nothing behind")
    void whenTheHelloIsMutatedThenNoResourceIsLeaked() throws IOException {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        byte[] good = ControlCodec.encode(PlayedPeer.HELLO);
        for (int i = 0; i < 100; i++) {
            byte[] bytes = good.clone();
            for (int flips = 1 + random.nextInt(3); flips > 0; flips--) {
                bytes[4 + random.nextInt(bytes.length - 4)] ^= (byte) (1 << random.nextInt(8));
            }
            try {
                assertThat(exchange(bytes))
                        .as("seed %d", seed)
                        .isInstanceOfAny(ControlMessage.Welcome.class, ControlMessage.Rejection.class);
            } catch (IOException e) {
                throw new AssertionError("seed " + seed + ": no response to " + Arrays.toString(bytes), e);
            }
        }
    }

    private void garbage(byte[] bytes, String what) throws IOException {
        try (PlayedPeer client = PlayedPeer.connect(port())) {
            client.send(bytes);
            client.awaitClosed(what);
        }
    }

    static Stream<ControlMessage> notHellos() {
        return Stream.of(
                new ControlMessage.Heartbeat(),
                new ControlMessage.Goodbye("bye"),
                new ControlMessage.RcReady(1),
                PlayedPeer.open(1),
                new ControlMessage.RcOffer(
                        1, new RcEndpoint(PlayedPeer.GID, 1, new RcEndpoint.Half(2, 3), new RcEndpoint.Half(2, 3), 4)),
                new ControlMessage.Verify(1, new ServiceContract("s", List.of(), List.of())),
                new ControlMessage.Rejection(SessionRejectReason.CLOSING, "no"));
    }

    @ParameterizedTest
    @MethodSource("notHellos")
    @DisplayName("CP-16 a first message other than HELLO")
    void whenTheFirstMessageIsNoHelloThenTheClientIsRejected(ControlMessage message) throws IOException {
        assertThat(exchange(message))
                .isEqualTo(new ControlMessage.Rejection(
                        SessionRejectReason.INTERNAL, "the first message of a client must be HELLO"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    @DisplayName("CP-16 a client with a short heartbeat timeout does not make the server send too many heartbeats")
    void whenTheClientsTimeoutIsShortThenHeartbeatsAreStillRare(int patience) throws IOException {
        long start = System.nanoTime();
        try (PlayedPeer client = PlayedPeer.connect(port())) {
            client.send(new ControlMessage.Hello(
                    ControlCodec.VERSION, patience, Id128.random(), new Nonce(new byte[Nonce.BYTES])));
            assertThat(client.read()).isInstanceOf(ControlMessage.Welcome.class);
            int heartbeats = 0;
            while (heartbeats < 5) {
                client.readAny();
                heartbeats++;
            }
        }
        assertThat(Runtimes.since(start)).isGreaterThan(Duration.ofMillis(5 * 30));
    }
}
