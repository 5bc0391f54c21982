package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RdmaContractException;
import io.rdmarpc.rpc.RdmaRefusedException;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.RefusalCode;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.rpc.wire.Nonce;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.PathMtu;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The control channel when the other end misbehaves, in every state and either role. */
@Timeout(120)
class HandshakeTest {

    private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(400);

    /** More than the sessions that fit into a receive ring: what is not given back is missed. */
    private static final int MANY = 1100;

    private static ExecutorService executor;
    private static RdmaRuntime serving;
    private static RdmaRuntime calling;
    private static RpcServer server;
    private static RpcSession bystander;

    @BeforeAll
    static void open() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        serving = Runtimes.open(Runtimes.config(LONG, CONNECT_TIMEOUT));
        calling = Runtimes.open(Runtimes.config(LONG, CONNECT_TIMEOUT));
        serving.export(Echo.export(executor));
        server = Runtimes.listen(serving);
        bystander = Runtimes.channel(calling, server).session(LONG);
    }

    @AfterAll
    static void close() {
        calling.close();
        serving.close();
        executor.close();
        assertThat(serving.registeredBytes()).isZero();
        assertThat(calling.registeredBytes()).isZero();
    }

    /** Whatever happened, a client that behaves did not notice, and no session of the others is left. */
    @AfterEach
    void shouldNotHaveDisturbedOthers() {
        Runtimes.echo(bystander, 100);
        Runtimes.echo(bystander, 100_000);
        Runtimes.await("strangers' sessions to end", () -> serving.statistics().serverSessions() == 1);
        Runtimes.await(
                "sessions with strangers to end", () -> calling.statistics().clientSessions() == 1);
        RpcChannel fresh = Runtimes.channel(calling, server);
        Runtimes.echo(fresh.session(LONG), 10);
        fresh.close();
    }

    @Nested
    class AtTheServer {

        private int port() {
            return server.address().getPort();
        }

        private ControlMessage exchange(byte[] bytes) throws IOException {
            try (PlayedPeer client = PlayedPeer.connect(port())) {
                client.send(bytes);
                return client.read();
            }
        }

        private ControlMessage exchange(ControlMessage message) throws IOException {
            return exchange(ControlCodec.encode(message));
        }

        /** The answer to the first message after the handshake. */
        private ControlMessage exchangeLive(ControlMessage message) throws IOException {
            try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                return client.exchange(message);
            }
        }

        @Test
        @DisplayName("CP-02 a wish for a session is granted with what both can do")
        void whenTheWishIsGoodThenItIsGranted() throws IOException {
            ControlMessage.Welcome welcome = (ControlMessage.Welcome) exchange(PlayedPeer.HELLO);
            ControlMessage.Opened opened = (ControlMessage.Opened)
                    exchangeLive(PlayedPeer.open(5, PlayedPeer.ENDPOINT, 3, PathMtu.MTU_512, 123_456));

            assertThat(welcome.version()).isEqualTo(ControlCodec.VERSION);
            assertThat(opened.link()).isEqualTo(5);
            assertThat(opened.window()).isEqualTo(3);
            assertThat(opened.mtu()).isEqualTo(PathMtu.MTU_512);
            assertThat(opened.maxMessageBytes()).isEqualTo(123_456);
            assertThat(opened.endpoint().gid()).isEqualTo(PlayedPeer.GID);
            assertThat(opened.endpoint().qkey()).as("top bit 0").isPositive();
        }

        @Test
        @DisplayName("CP-02 SM-04 several sessions on one connection: each has its own number and secret")
        void whenSessionsShareAConnectionThenEachHasItsOwnSecret() throws IOException {
            try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                ControlMessage.Opened first = (ControlMessage.Opened) client.exchange(PlayedPeer.open(1));
                ControlMessage.Opened second = (ControlMessage.Opened) client.exchange(PlayedPeer.open(2));

                assertThat(first.cookie()).isNotEqualTo(second.cookie());
                assertThat(first.session()).isNotEqualTo(second.session());
                assertThat(second.link()).isEqualTo(2);
                assertThat(serving.statistics().serverSessions()).isEqualTo(3);
            }
        }

        @Test
        @DisplayName("CP-02 secrets are not the same twice")
        void whenTwoClientsComeThenTheirSecretsDiffer() throws IOException {
            ControlMessage.Opened first = (ControlMessage.Opened) exchangeLive(PlayedPeer.open(1));
            ControlMessage.Opened second = (ControlMessage.Opened) exchangeLive(PlayedPeer.open(1));

            assertThat(first.cookie()).isNotEqualTo(second.cookie());
        }

        @Test
        @DisplayName("CP-12 a session that is closed twice is closed once; the connection goes on")
        void whenASessionIsClosedTwiceThenTheConnectionGoesOn() throws IOException {
            try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                client.exchange(PlayedPeer.open(1));
                client.send(new ControlMessage.Close(1, "done"));
                client.send(new ControlMessage.Close(1, "done"));
                client.send(new ControlMessage.Close(77, "never there"));

                assertThat(client.exchange(PlayedPeer.open(2))).isInstanceOf(ControlMessage.Opened.class);
            }
        }

        @Test
        @DisplayName("CP-10 a client on another provider that cannot reach this one is refused in words")
        void whenTheProviderIsAnotherThenTheClientIsRefused() throws IOException {
            ControlMessage answer = exchangeLive(new ControlMessage.Open(
                    1, Id128.random(), "ibverbs", PlayedPeer.ENDPOINT, 0, 8, PathMtu.MTU_4096, 1 << 20, false));

            assertThat(answer).isInstanceOfSatisfying(ControlMessage.Refused.class, refusal -> {
                assertThat(refusal.code()).isEqualTo(RefusalCode.PROVIDER);
                assertThat(refusal.reason())
                        .startsWith("the server runs on soft (soft0), the client on ibverbs: ")
                        .endsWith("set rdma.provider to the same on both sides");
            });
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 2})
        @DisplayName("CP-10 a client of an older protocol is refused in words")
        void whenTheVersionIsOlderThenTheClientIsRefused(int version) throws IOException {
            ControlMessage.Refusal refusal = (ControlMessage.Refusal) exchange(PlayedPeer.hello(version));

            assertThat(refusal.code()).isEqualTo(RefusalCode.VERSION);
            assertThat(refusal.reason()).contains("the client speaks protocol version " + version);
        }

        @Test
        @DisplayName("CP-10 a client of a newer protocol is answered in the server's")
        void whenTheVersionIsNewerThenTheServerSpeaksItsOwn() throws IOException {
            ControlMessage.Welcome welcome = (ControlMessage.Welcome) exchange(PlayedPeer.hello(9));

            assertThat(welcome.version()).isEqualTo(ControlCodec.VERSION);
        }

        @Test
        @DisplayName("CP-16 close before, within and after hello and open, at every byte")
        void whenTheClientClosesAnywhereThenNothingIsLeft() throws IOException {
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

        @Test
        @DisplayName("CP-16 CP-11 a client that goes at once gives back all it was given")
        void whenManyClientsComeAndGoThenNothingIsUsedUp() throws IOException {
            for (int i = 0; i < MANY; i++) {
                assertThat(exchangeLive(PlayedPeer.open(1)))
                        .as("client %d", i)
                        .isInstanceOf(ControlMessage.Opened.class);
                if (i % 50 == 0) {
                    Runtimes.await("sessions to end", () -> serving.statistics().serverSessions() == 1);
                }
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 4, 5, 20})
        @DisplayName("CP-16 CP-15 a client that stalls in its hello is shown the door")
        void whenTheClientStallsThenItIsDisconnected(int length) throws IOException {
            byte[] bytes = ControlCodec.encode(PlayedPeer.HELLO);
            try (PlayedPeer client = PlayedPeer.connect(port())) {
                client.send(bytes, length);
                client.awaitClosed("a stalling client stays connected");
            }
        }

        @Test
        @DisplayName("CP-16 CP-15 a client that sends its hello byte by byte does not get more time")
        void whenTheClientDripsThenItIsDisconnected() throws IOException {
            byte[] bytes = ControlCodec.encode(PlayedPeer.HELLO);
            long start = System.nanoTime();
            try (PlayedPeer client = PlayedPeer.connect(port())) {
                for (byte each : bytes) {
                    Thread.sleep(100);
                    client.send(each);
                }
                client.awaitClosed("a dripping client stays connected");
            } catch (IOException e) {
                // Closed by the server, as it should be.
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            assertThat(Runtimes.since(start)).isLessThan(Duration.ofMillis(100L * bytes.length));
        }

        @Test
        @DisplayName("CP-16 random bytes")
        void whenTheClientSendsGarbageThenItIsDisconnected() throws IOException {
            long seed = System.nanoTime();
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
        @DisplayName("CP-16 a hello with a few bits changed is refused or welcomed, and leaves nothing")
        void whenTheHelloIsMutatedThenNothingIsLeft() throws IOException {
            long seed = System.nanoTime();
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
                            .isInstanceOfAny(ControlMessage.Welcome.class, ControlMessage.Refusal.class);
                } catch (IOException e) {
                    throw new AssertionError("seed " + seed + ": no answer to " + Arrays.toString(bytes), e);
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
                    new ControlMessage.RcOffer(1, new RcEndpoint(PlayedPeer.GID, 1, 2, 3, 4)),
                    new ControlMessage.Verify(1, new ServiceContract("s", List.of(), List.of())),
                    new ControlMessage.Refusal(RefusalCode.CLOSING, "no"));
        }

        @ParameterizedTest
        @MethodSource("notHellos")
        @DisplayName("CP-16 anything but a hello first")
        void whenTheFirstMessageIsNoHelloThenTheClientIsRefused(ControlMessage message) throws IOException {
            assertThat(exchange(message))
                    .isEqualTo(new ControlMessage.Refusal(
                            RefusalCode.INTERNAL, "the first message of a client must be a hello"));
        }

        static Stream<ControlMessage> notWelcomeLater() {
            return Stream.of(
                    PlayedPeer.HELLO,
                    new ControlMessage.Verdict(1, ""),
                    PlayedPeer.open(1),
                    PlayedPeer.opened(1, 8, PlayedPeer.ENDPOINT),
                    new ControlMessage.RcWanted(1),
                    new ControlMessage.RcWanted(2),
                    new ControlMessage.RcAnswer(1, new RcEndpoint(PlayedPeer.GID, 1, 2, 3, 4)),
                    new ControlMessage.Refused(1, RefusalCode.CLOSING, "no"),
                    new ControlMessage.Refusal(RefusalCode.CLOSING, "no"));
        }

        @ParameterizedTest
        @MethodSource("notWelcomeLater")
        @DisplayName("CP-16 what a client may not send on a live connection ends it, with words")
        void whenALiveClientSaysWhatItMayNotThenItsConnectionEnds(ControlMessage message) throws IOException {
            try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                assertThat(client.exchange(PlayedPeer.open(1))).isInstanceOf(ControlMessage.Opened.class);

                assertThat(client.exchange(message))
                        .isInstanceOfSatisfying(
                                ControlMessage.Goodbye.class,
                                goodbye -> assertThat(goodbye.reason()).startsWith("a client may not"));
                client.awaitClosed("a client that said " + message + " stays connected");
            }
        }

        static Stream<List<ControlMessage>> wrongConnections() {
            ControlMessage good = new ControlMessage.RcOffer(1, new RcEndpoint(PlayedPeer.GID, 9, 55, 3, 4));
            return Stream.of(
                    List.of(new ControlMessage.RcReady(1)),
                    List.of(new ControlMessage.RcOffer(1, new RcEndpoint(PlayedPeer.GID, 1, -1, -1, 0))),
                    List.of(good, good));
        }

        @ParameterizedTest
        @MethodSource("wrongConnections")
        @DisplayName("CP-16 FL-11 a reliable connection that cannot be ends its session, the others live")
        void whenAReliableConnectionIsWrongThenItsSessionEnds(List<ControlMessage> messages) throws IOException {
            try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                client.exchange(PlayedPeer.open(1));
                client.exchange(PlayedPeer.open(2));
                for (ControlMessage message : messages) {
                    client.send(message);
                }

                ControlMessage answer = client.read();
                if (answer instanceof ControlMessage.RcAnswer) {
                    answer = client.read();
                }
                assertThat(answer).isInstanceOfSatisfying(ControlMessage.Close.class, close -> {
                    assertThat(close.link()).isOne();
                    assertThat(close.reason()).startsWith("no reliable connection: ");
                });
                assertThat(client.exchange(PlayedPeer.open(3))).isInstanceOf(ControlMessage.Opened.class);
                assertThat(serving.statistics().serverSessions()).isEqualTo(3);
            }
        }

        static Stream<Arguments> oddWishes() {
            Gid nowhere = new Gid(0, 0);
            UdEndpoint usual = PlayedPeer.ENDPOINT;
            return Stream.of(
                    Arguments.of("no window", usual, 0, 1 << 20),
                    Arguments.of("the largest window", usual, 0xFFFF, 1 << 20),
                    Arguments.of("no messages", usual, 8, 0),
                    Arguments.of("negative messages", usual, 8, -1),
                    Arguments.of("no address", new UdEndpoint(nowhere, 9, 77, 1), 8, 1 << 20),
                    Arguments.of("odd numbers", new UdEndpoint(PlayedPeer.GID, 0xFFFF, -1, -1), 8, 1 << 20),
                    Arguments.of("another network", new UdEndpoint(new Gid(-1, -1), 9, 77, 1), 8, 1 << 20));
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("oddWishes")
        @DisplayName("CP-16 wishes with odd numbers are granted or refused, and leave nothing")
        void whenTheNumbersAreOddThenTheServerAnswers(String what, UdEndpoint endpoint, int window, int max)
                throws IOException {
            try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                for (int i = 1; i <= 10; i++) {
                    assertThat(client.exchange(PlayedPeer.open(i, endpoint, window, PathMtu.MTU_256, max)))
                            .isInstanceOfAny(ControlMessage.Opened.class, ControlMessage.Refused.class);
                }
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
        @DisplayName("CP-16 a client without patience does not make the server talk without end")
        void whenTheClientHasNoPatienceThenHeartbeatsAreStillRare(int patience) throws IOException {
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

        @Test
        @DisplayName("CP-04 CP-11 more clients than the ring has room for: refused with a code; room comes back")
        void whenTheRingIsSpokenForThenClientsAreRefused() throws IOException {
            for (int round = 0; round < 3; round++) {
                try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                    ControlMessage last = null;
                    for (int i = 1; i < MANY && !(last instanceof ControlMessage.Refused); i++) {
                        last = client.exchange(PlayedPeer.open(i));
                    }
                    assertThat(last).isInstanceOfSatisfying(ControlMessage.Refused.class, refusal -> {
                        assertThat(refusal.code()).isEqualTo(RefusalCode.RING_EXHAUSTED);
                        assertThat(refusal.reason()).contains("raise rdma.ud.receive-depth there");
                    });
                }
                Runtimes.await("sessions to end", () -> serving.statistics().serverSessions() == 1);
            }
        }
    }

    @Nested
    class AtTheClient {

        private final RpcChannel channel;
        private final ServerSocket listener;

        AtTheClient() throws IOException {
            listener = new ServerSocket(0, 50, Runtimes.LOOPBACK);
            channel = Runtimes.channel(calling, listener.getLocalPort());
        }

        @BeforeEach
        void mind() {
            assertThat(channel.isConnected()).isFalse();
        }

        @AfterEach
        void close() throws IOException {
            channel.close();
            listener.close();
        }

        /** Answers every client in the same way until the listener is closed. */
        private void serve(StrangeServer server) {
            Thread.ofVirtual().start(() -> {
                while (!listener.isClosed()) {
                    try {
                        PlayedPeer client = new PlayedPeer(listener.accept());
                        Thread.ofVirtual().start(() -> {
                            try (client) {
                                server.serve(client);
                            } catch (IOException e) {
                                // The client has gone.
                            }
                        });
                    } catch (IOException e) {
                        return;
                    }
                }
            });
        }

        /** What a server does that is none. */
        interface StrangeServer {
            void serve(PlayedPeer client) throws IOException;
        }

        /** What a server does that is none, with its first session. */
        interface StrangeSession {
            void serve(PlayedPeer client, int link) throws IOException;
        }

        /** Answers the hello. */
        private void serveHello(ControlMessage answer, boolean thenClose) {
            serve(client -> {
                client.read();
                client.send(answer);
                if (!thenClose) {
                    client.awaitClosed("the client stays");
                }
            });
        }

        /** Answers the hello well and is strange afterwards. */
        private void serveSession(StrangeSession server) {
            serve(client -> {
                client.read();
                client.send(PlayedPeer.WELCOME);
                server.serve(client, client.await(ControlMessage.Open.class).link());
            });
        }

        private void serveOpened(StrangeSession server) {
            serveSession((client, link) -> {
                client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
                server.serve(client, link);
            });
        }

        private RpcException connectFails(Duration timeout) {
            long start = System.nanoTime();
            RpcException[] failure = new RpcException[1];
            assertThatExceptionOfType(RpcException.class)
                    .isThrownBy(() -> channel.session(timeout))
                    .satisfies(e -> failure[0] = e);
            assertThat(Runtimes.since(start)).isLessThan(timeout.plusSeconds(5));
            assertThat(channel.isConnected()).isFalse();
            return failure[0];
        }

        @ParameterizedTest
        @EnumSource(RefusalCode.class)
        @DisplayName("CP-09 FL-12 a connection that is refused: the words arrive")
        void whenTheServerRefusesThenTheWordsArrive(RefusalCode code) {
            serveHello(new ControlMessage.Refusal(code, "these words"), true);

            expectRefusal(code);
        }

        @ParameterizedTest
        @EnumSource(RefusalCode.class)
        @DisplayName("CP-09 FL-12 a session that is refused: the words arrive")
        void whenTheServerRefusesTheSessionThenTheWordsArrive(RefusalCode code) {
            serveSession((client, link) -> {
                int wanted = link;
                while (true) {
                    client.send(new ControlMessage.Refused(wanted, code, "these words"));
                    wanted = client.await(ControlMessage.Open.class).link();
                }
            });

            expectRefusal(code);
        }

        private void expectRefusal(RefusalCode code) {
            RpcException failure = connectFails(Duration.ofSeconds(1));

            assertThat(failure).hasMessageContaining("the server refuses the session: these words");
            switch (code) {
                case VERSION, PROVIDER -> assertThat(failure).isInstanceOf(RdmaContractException.class);
                case UNAUTHENTICATED -> assertThat(failure).isInstanceOf(RdmaRefusedException.class);
                default ->
                    assertThat(failure)
                            .isInstanceOf(RdmaUnavailableException.class)
                            .rootCause()
                            .isInstanceOfSatisfying(
                                    RdmaRefusedException.class,
                                    refusal -> assertThat(refusal.code()).isEqualTo(code));
            }
        }

        @Test
        @DisplayName("CP-16 CP-15 a server that never answers")
        void whenTheServerIsSilentThenTheClientGivesUp() {
            serve(client -> client.awaitClosed("the client stays"));

            assertThat(connectFails(Duration.ofMillis(700))).isInstanceOf(RdmaUnavailableException.class);
        }

        @Test
        @DisplayName("CP-16 a server that closes before, within and after its welcome")
        void whenTheServerClosesThenTheClientGivesUp() {
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
        @DisplayName("CP-16 a server that closes before, within and after its answer about a session")
        void whenTheServerClosesAboutTheSessionThenTheClientGivesUp() {
            byte[] bytes = ControlCodec.encode(PlayedPeer.opened(1, 8, PlayedPeer.ENDPOINT));
            int[] length = {0};
            serveSession((client, link) -> client.send(bytes, length[0]++ % bytes.length));

            assertThat(connectFails(Duration.ofMillis(1_500))).isInstanceOf(RdmaUnavailableException.class);
        }

        @Test
        @DisplayName("CP-16 CP-15 a server that welcomes byte by byte does not get more time")
        void whenTheServerDripsThenTheClientGivesUp() {
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
        @DisplayName("CP-16 CP-15 a server that says nothing about a session")
        void whenTheServerIsSilentAboutTheSessionThenTheClientGivesUp() {
            serveSession((client, link) -> client.awaitClosed("the client stays"));

            assertThat(connectFails(Duration.ofMillis(700)))
                    .isInstanceOf(RdmaUnavailableException.class)
                    .hasMessageContaining("the server did not answer within");
        }

        @Test
        @DisplayName("CP-08 an answer that comes late, or twice, changes nothing")
        void whenTheAnswerComesLateThenItIsIgnored() {
            serveSession((client, link) -> {
                client.await(ControlMessage.Close.class);
                client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
                client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
                int next = client.await(ControlMessage.Open.class).link();
                client.send(PlayedPeer.opened(next, 8, PlayedPeer.ENDPOINT));
                client.send(PlayedPeer.opened(next, 4, PlayedPeer.ENDPOINT));
                client.send(new ControlMessage.Refused(next, RefusalCode.CLOSING, "late"));
                client.awaitClosed("the client stays");
            });

            RpcSession session = channel.session(Duration.ofSeconds(5));

            assertThat(session.info().window()).isEqualTo(8);
            assertThat(session.isOpen()).isTrue();
        }

        static Stream<Arguments> nonsense() {
            return Stream.of(
                    Arguments.of("another version", PlayedPeer.welcome(ControlCodec.VERSION + 1)),
                    Arguments.of("an older version", PlayedPeer.welcome(ControlCodec.VERSION - 1)),
                    Arguments.of("a session", PlayedPeer.opened(1, 8, PlayedPeer.ENDPOINT)),
                    Arguments.of("a heartbeat", new ControlMessage.Heartbeat()),
                    Arguments.of("a goodbye", new ControlMessage.Goodbye("bye")),
                    Arguments.of("a hello", PlayedPeer.HELLO));
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("nonsense")
        @DisplayName("CP-16 an answer to the hello that makes no sense")
        void whenTheWelcomeMakesNoSenseThenTheClientGivesUp(String what, ControlMessage answer) {
            serveHello(answer, false);

            assertThat(connectFails(Duration.ofMillis(200))).isInstanceOf(RpcException.class);
        }

        static Stream<Arguments> senselessSessions() {
            return Stream.of(
                    Arguments.of("no window", PlayedPeer.opened(1, 0, PlayedPeer.ENDPOINT)),
                    Arguments.of("a wider window than asked for", PlayedPeer.opened(1, 9, PlayedPeer.ENDPOINT)),
                    Arguments.of("a session nobody wanted", PlayedPeer.opened(7, 8, PlayedPeer.ENDPOINT)),
                    Arguments.of("no address", PlayedPeer.opened(1, 8, new UdEndpoint(new Gid(0, 0), 9, 77, 1))),
                    Arguments.of("a welcome", PlayedPeer.WELCOME),
                    Arguments.of("a hello", PlayedPeer.HELLO),
                    Arguments.of("its own question", PlayedPeer.open(1)));
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("senselessSessions")
        @DisplayName("CP-16 an answer about a session that makes no sense")
        void whenTheAnswerMakesNoSenseThenTheClientGivesUp(String what, ControlMessage answer) {
            serveSession((client, link) -> {
                client.send(answer);
                client.awaitClosed("the client stays");
            });

            assertThat(connectFails(Duration.ofMillis(200))).isInstanceOf(RpcException.class);
        }

        @Test
        @DisplayName("CP-16 random bytes")
        void whenTheServerSendsGarbageThenTheClientGivesUp() {
            long seed = System.nanoTime();
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

        @Test
        @DisplayName("CP-16 what a server may not send in a live session ends it")
        void whenALiveServerSaysWhatItMayNotThenTheSessionEnds() {
            ControlMessage[] wrong = {
                PlayedPeer.HELLO,
                PlayedPeer.WELCOME,
                PlayedPeer.open(1),
                PlayedPeer.opened(99, 8, PlayedPeer.ENDPOINT),
                new ControlMessage.RcReady(1),
                new ControlMessage.RcOffer(1, new RcEndpoint(PlayedPeer.GID, 1, 2, 3, 4)),
                new ControlMessage.RcAnswer(1, new RcEndpoint(PlayedPeer.GID, 1, 2, 3, 4)),
                new ControlMessage.Refusal(RefusalCode.CLOSING, "no"),
                new ControlMessage.Verify(1, new ServiceContract("s", List.of(), List.of())),
                new ControlMessage.Close(1, "bye"),
                new ControlMessage.Goodbye("bye")
            };
            AtomicInteger round = new AtomicInteger();
            serveOpened((client, link) -> {
                client.send(wrong[round.getAndIncrement() % wrong.length]);
                while (client.read() instanceof ControlMessage.Open again) {
                    client.send(PlayedPeer.opened(again.link(), 8, PlayedPeer.ENDPOINT));
                    client.send(wrong[round.getAndIncrement() % wrong.length]);
                }
            });

            for (ControlMessage each : wrong) {
                RpcSession session = channel.session(LONG);
                Runtimes.await("the session to end after " + each, () -> !session.isOpen());
                assertThatExceptionOfType(RdmaUnavailableException.class)
                        .isThrownBy(() -> Runtimes.get(Echo.call(session, 1, new byte[0], LONG)));
            }
        }

        @Test
        @DisplayName("CP-16 CP-11 sessions that end at once use nothing up")
        void whenServersComeAndGoThenNothingIsUsedUp() throws Exception {
            BlockingQueue<PlayedPeer> servers = new LinkedBlockingQueue<>();
            serveOpened((client, link) -> {
                servers.add(client);
                while (true) {
                    int next = client.await(ControlMessage.Open.class).link();
                    client.send(PlayedPeer.opened(next, 8, PlayedPeer.ENDPOINT));
                    servers.add(client);
                }
            });
            for (int i = 0; i < MANY; i++) {
                RpcSession session = channel.session(LONG);
                while (session.isOpen()) {
                    PlayedPeer server = servers.poll(1, TimeUnit.MILLISECONDS);
                    if (server != null) {
                        server.close();
                    }
                }
            }
        }

        @Test
        @DisplayName("CP-08 verdicts and heartbeats that nobody asked for are ignored")
        void whenAVerdictComesUnaskedThenTheSessionLives() {
            CompletableFuture<Void> sent = new CompletableFuture<>();
            serveOpened((client, link) -> {
                for (int i = 0; i < 10; i++) {
                    client.send(new ControlMessage.Verdict(1_000 + i, "no"));
                    client.send(new ControlMessage.Heartbeat());
                }
                sent.complete(null);
                int number = client.await(ControlMessage.Verify.class).number();
                client.send(new ControlMessage.Verdict(number, ""));
                client.awaitClosed("the client stays");
            });

            RpcSession session = channel.session(LONG);
            Runtimes.get(sent);
            channel.verify(session, Echo.CONTRACT);

            assertThat(session.isOpen()).isTrue();
        }

        @Test
        @DisplayName("FL-12 a server that does not answer about a contract: in time, in words")
        void whenTheServerDoesNotAnswerAboutAContractThenTheClientGivesUp() {
            serveOpened((client, link) -> client.awaitClosed("the client stays"));
            RpcSession session = channel.session(LONG);
            long start = System.nanoTime();

            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> channel.verify(session, Echo.CONTRACT))
                    .withMessageContaining("did not answer about service test.Echo within 400 ms");

            assertThat(Runtimes.since(start)).isLessThan(Duration.ofSeconds(5));
        }

        @Test
        @DisplayName("FL-12 a server that goes while it is asked about a contract: at once, in words")
        void whenTheServerGoesWhileItIsAskedThenTheWordsSaySo() {
            serveOpened((client, link) -> client.await(ControlMessage.Verify.class));
            RpcSession session = channel.session(LONG);

            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> channel.verify(session, Echo.CONTRACT))
                    .withMessageContaining("could not be asked about service test.Echo: the session ended: ");
        }

        @Test
        @DisplayName("CP-04 FC-08 a client whose own receive ring is spoken for: back-pressure, at once")
        void whenTheOwnRingIsSpokenForThenTheClientSaysSo() {
            serveOpened((client, link) -> {
                while (true) {
                    int next = client.await(ControlMessage.Open.class).link();
                    client.send(PlayedPeer.opened(next, 8, PlayedPeer.ENDPOINT));
                }
            });
            List<RpcChannel> channels = new ArrayList<>();

            assertThatExceptionOfType(RdmaBackpressureException.class)
                    .isThrownBy(() -> {
                        for (int i = 0; i < MANY; i++) {
                            channels.add(Runtimes.channel(calling, listener.getLocalPort()));
                            channels.getLast().session(LONG);
                        }
                    })
                    .withMessageContaining("raise rdma.ud.receive-depth");

            channels.forEach(RpcChannel::close);
        }

        @Test
        @DisplayName("LT-12 a welcome that comes after the channel was closed makes no session")
        void whenTheChannelClosesWhileItConnectsThenThereIsNoSession() throws InterruptedException {
            CompletableFuture<Void> hello = new CompletableFuture<>();
            CompletableFuture<Void> closed = new CompletableFuture<>();
            serveSession((client, link) -> {
                hello.complete(null);
                Runtimes.get(closed);
                client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
                client.awaitClosed("the client stays");
            });
            CompletableFuture<RpcException> end = new CompletableFuture<>();
            Thread caller = Thread.ofVirtual().start(() -> {
                try {
                    channel.session(LONG);
                    end.complete(null);
                } catch (RpcException e) {
                    end.complete(e);
                }
            });
            Runtimes.get(hello);
            channel.close();
            closed.complete(null);
            caller.join();

            assertThat(Runtimes.get(end)).isInstanceOf(RdmaUnavailableException.class);
        }
    }
}
