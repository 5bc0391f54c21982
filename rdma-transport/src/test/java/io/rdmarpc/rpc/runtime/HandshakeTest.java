package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RdmaContractException;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.ControlMessage.RefusalCode;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.PathMtu;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
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
    private static final Gid GID = Gid.of(Inet4Address.ofLiteral("127.0.0.1"));
    private static final UdEndpoint ENDPOINT = new UdEndpoint(GID, 9, 77, 0x1234);

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

    private static ControlMessage.Hello hello() {
        return new ControlMessage.Hello(ControlCodec.VERSION, "soft", ENDPOINT, 0, 8, PathMtu.MTU_4096, 1 << 20, 3_000);
    }

    private static void await(Socket socket, String what) throws IOException {
        socket.setSoTimeout((int) LONG.toMillis());
        try {
            while (socket.getInputStream().read() >= 0) {
                // What the server still says does not matter.
            }
        } catch (java.net.SocketTimeoutException e) {
            throw new AssertionError(what, e);
        } catch (IOException e) {
            // Reset: closed as well.
        }
    }

    @Nested
    class AtTheServer {

        private Socket connect() throws IOException {
            return new Socket(Runtimes.LOOPBACK, server.address().getPort());
        }

        private ControlMessage exchange(byte[] bytes) throws IOException {
            try (Socket socket = connect()) {
                socket.setSoTimeout((int) LONG.toMillis());
                socket.getOutputStream().write(bytes);
                return ControlCodec.read(new DataInputStream(socket.getInputStream()));
            }
        }

        private ControlMessage exchange(ControlMessage message) throws IOException {
            return exchange(ControlCodec.encode(message));
        }

        @Test
        @DisplayName("CP-02 a hello is welcomed with what both can do")
        void whenTheHelloIsGoodThenItIsWelcome() throws IOException {
            ControlMessage.Welcome welcome = (ControlMessage.Welcome) exchange(new ControlMessage.Hello(
                    ControlCodec.VERSION, "soft", ENDPOINT, 5, 3, PathMtu.MTU_512, 123_456, 3_000));

            assertThat(welcome.version()).isEqualTo(ControlCodec.VERSION);
            assertThat(welcome.window()).isEqualTo(3);
            assertThat(welcome.mtu()).isEqualTo(PathMtu.MTU_512);
            assertThat(welcome.maxMessageBytes()).isEqualTo(123_456);
            assertThat(welcome.endpoint().gid()).isEqualTo(GID);
            assertThat(welcome.endpoint().qkey()).as("top bit 0").isPositive();
        }

        @Test
        @DisplayName("CP-02 secrets are not the same twice")
        void whenTwoClientsComeThenTheirSecretsDiffer() throws IOException {
            ControlMessage.Welcome first = (ControlMessage.Welcome) exchange(hello());
            ControlMessage.Welcome second = (ControlMessage.Welcome) exchange(hello());

            assertThat(first.cookie()).isNotEqualTo(second.cookie());
        }

        @Test
        @DisplayName("CP-10 a client on another provider that cannot reach this one is refused in words")
        void whenTheProviderIsAnotherThenTheClientIsRefused() throws IOException {
            ControlMessage answer = exchange(new ControlMessage.Hello(
                    ControlCodec.VERSION, "ibverbs", ENDPOINT, 0, 8, PathMtu.MTU_4096, 1 << 20, 3_000));

            assertThat(answer).isInstanceOfSatisfying(ControlMessage.Refusal.class, refusal -> {
                assertThat(refusal.code()).isEqualTo(RefusalCode.PROVIDER);
                assertThat(refusal.reason())
                        .startsWith("the server runs on soft (soft0), the client on ibverbs: ")
                        .endsWith("set rdma.provider to the same on both sides");
            });
        }

        @Test
        @DisplayName("CP-10 a client of an older protocol is refused in words")
        void whenTheVersionIsOlderThenTheClientIsRefused() throws IOException {
            ControlMessage.Refusal refusal = (ControlMessage.Refusal)
                    exchange(new ControlMessage.Hello(0, "soft", ENDPOINT, 0, 8, PathMtu.MTU_4096, 1 << 20, 3_000));

            assertThat(refusal.code()).isEqualTo(RefusalCode.VERSION);
            assertThat(refusal.reason()).contains("the client speaks protocol version 0");
        }

        @Test
        @DisplayName("CP-10 a client of a newer protocol is answered in the server's")
        void whenTheVersionIsNewerThenTheServerSpeaksItsOwn() throws IOException {
            ControlMessage.Welcome welcome = (ControlMessage.Welcome)
                    exchange(new ControlMessage.Hello(9, "soft", ENDPOINT, 0, 8, PathMtu.MTU_4096, 1 << 20, 3_000));

            assertThat(welcome.version()).isEqualTo(ControlCodec.VERSION);
        }

        @Test
        @DisplayName("CP-16 close before, within and after the hello, at every byte")
        void whenTheClientClosesAnywhereThenNothingIsLeft() throws IOException {
            byte[] bytes = ControlCodec.encode(hello());
            for (int length = 0; length <= bytes.length; length++) {
                try (Socket socket = connect()) {
                    socket.getOutputStream().write(bytes, 0, length);
                }
            }
        }

        @Test
        @DisplayName("CP-16 CP-11 a welcomed client that goes at once gives back all it was given")
        void whenManyClientsComeAndGoThenNothingIsUsedUp() throws IOException {
            for (int i = 0; i < MANY; i++) {
                assertThat(exchange(hello())).as("client %d", i).isInstanceOf(ControlMessage.Welcome.class);
                if (i % 50 == 0) {
                    Runtimes.await("sessions to end", () -> serving.statistics().serverSessions() == 1);
                }
            }
        }

        @ParameterizedTest
        @ValueSource(ints = {0, 1, 4, 5, 20})
        @DisplayName("CP-16 CP-15 a client that stalls in its hello is shown the door")
        void whenTheClientStallsThenItIsDisconnected(int length) throws IOException {
            byte[] bytes = ControlCodec.encode(hello());
            try (Socket socket = connect()) {
                socket.getOutputStream().write(bytes, 0, length);
                await(socket, "a stalling client stays connected");
            }
        }

        @Test
        @DisplayName("CP-16 CP-15 a client that sends its hello byte by byte does not get more time")
        void whenTheClientDripsThenItIsDisconnected() throws IOException {
            byte[] bytes = ControlCodec.encode(hello());
            long start = System.nanoTime();
            try (Socket socket = connect()) {
                for (byte each : bytes) {
                    Thread.sleep(100);
                    socket.getOutputStream().write(each);
                }
                await(socket, "a dripping client stays connected");
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
            byte[] good = ControlCodec.encode(hello());
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
            try (Socket socket = connect()) {
                socket.getOutputStream().write(bytes);
                await(socket, what);
            }
        }

        static Stream<ControlMessage> notHellos() {
            return Stream.of(
                    new ControlMessage.Heartbeat(),
                    new ControlMessage.Goodbye("bye"),
                    new ControlMessage.RcReady(),
                    new ControlMessage.RcOffer(new RcEndpoint(GID, 1, 2, 3, 4)),
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
                    hello(),
                    new ControlMessage.Verdict(1, ""),
                    new ControlMessage.RcWanted(),
                    new ControlMessage.RcReady(),
                    new ControlMessage.RcAnswer(new RcEndpoint(GID, 1, 2, 3, 4)),
                    new ControlMessage.RcOffer(new RcEndpoint(GID, 1, -1, -1, 0)),
                    new ControlMessage.Refusal(RefusalCode.CLOSING, "no"));
        }

        @ParameterizedTest
        @MethodSource("notWelcomeLater")
        @DisplayName("CP-16 what a client may not send in a live session ends it")
        void whenALiveClientSaysWhatItMayNotThenItsSessionEnds(ControlMessage message) throws IOException {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(ControlCodec.encode(hello()));
                DataInputStream in = new DataInputStream(socket.getInputStream());
                assertThat(ControlCodec.read(in)).isInstanceOf(ControlMessage.Welcome.class);
                socket.getOutputStream().write(ControlCodec.encode(message));
                await(socket, "a client that said " + message + " stays connected");
            }
        }

        @Test
        @DisplayName("CP-16 a second connection offered is refused")
        void whenAClientOffersTwoConnectionsThenItsSessionEnds() throws IOException {
            byte[] offer = ControlCodec.encode(new ControlMessage.RcOffer(new RcEndpoint(GID, 9, 55, 3, 4)));
            try (Socket socket = connect()) {
                socket.getOutputStream().write(ControlCodec.encode(hello()));
                DataInputStream in = new DataInputStream(socket.getInputStream());
                assertThat(ControlCodec.read(in)).isInstanceOf(ControlMessage.Welcome.class);
                socket.getOutputStream().write(offer);
                assertThat(ControlCodec.read(in)).isInstanceOf(ControlMessage.RcAnswer.class);
                socket.getOutputStream().write(offer);
                await(socket, "a client with two connections stays connected");
            }
        }

        static Stream<Arguments> oddHellos() {
            Gid nowhere = new Gid(0, 0);
            return Stream.of(
                    Arguments.of("no window", ENDPOINT, 0, 1 << 20, 3_000),
                    Arguments.of("the largest window", ENDPOINT, 0xFFFF, 1 << 20, 3_000),
                    Arguments.of("no messages", ENDPOINT, 8, 0, 3_000),
                    Arguments.of("negative messages", ENDPOINT, 8, -1, 3_000),
                    Arguments.of("no patience", ENDPOINT, 8, 1 << 20, 0),
                    Arguments.of("negative patience", ENDPOINT, 8, 1 << 20, -1),
                    Arguments.of("no address", new UdEndpoint(nowhere, 9, 77, 1), 8, 1 << 20, 3_000),
                    Arguments.of("odd numbers", new UdEndpoint(GID, 0xFFFF, -1, -1), 8, 1 << 20, 3_000),
                    Arguments.of("another network", new UdEndpoint(new Gid(-1, -1), 9, 77, 1), 8, 1 << 20, 3_000));
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("oddHellos")
        @DisplayName("CP-16 hellos with odd numbers are welcomed or refused, and leave nothing")
        void whenTheNumbersAreOddThenTheServerAnswers(
                String what, UdEndpoint endpoint, int window, int max, int patience) throws IOException {
            for (int i = 0; i < 10; i++) {
                assertThat(exchange(new ControlMessage.Hello(
                                ControlCodec.VERSION, "soft", endpoint, 0, window, PathMtu.MTU_256, max, patience)))
                        .isInstanceOfAny(ControlMessage.Welcome.class, ControlMessage.Refusal.class);
            }
        }

        @Test
        @DisplayName("CP-04 CP-11 more clients than the ring has room for: refused with a code; room comes back")
        void whenTheRingIsSpokenForThenClientsAreRefused() throws IOException {
            byte[] bytes = ControlCodec.encode(hello());
            for (int round = 0; round < 3; round++) {
                Socket[] sockets = new Socket[MANY];
                ControlMessage last = null;
                for (int i = 0; i < MANY && !(last instanceof ControlMessage.Refusal); i++) {
                    sockets[i] = connect();
                    sockets[i].getOutputStream().write(bytes);
                    last = ControlCodec.read(new DataInputStream(sockets[i].getInputStream()));
                }
                assertThat(last).isInstanceOf(ControlMessage.Refusal.class);
                assertThat(((ControlMessage.Refusal) last).code()).isEqualTo(RefusalCode.RING_EXHAUSTED);
                assertThat(((ControlMessage.Refusal) last).reason()).contains("raise rdma.ud.receive-depth there");
                for (Socket socket : sockets) {
                    if (socket != null) {
                        socket.close();
                    }
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
                        Socket socket = listener.accept();
                        Thread.ofVirtual().start(() -> {
                            try (socket) {
                                server.serve(socket, new DataInputStream(socket.getInputStream()));
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
            void serve(Socket socket, DataInputStream in) throws IOException;
        }

        private void serve(ControlMessage answer, boolean thenClose) {
            serve((socket, in) -> {
                ControlCodec.read(in);
                socket.getOutputStream().write(ControlCodec.encode(answer));
                if (!thenClose) {
                    await(socket, "the client stays");
                }
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

        private static ControlMessage.Welcome welcome(int version, int window, UdEndpoint endpoint) {
            return new ControlMessage.Welcome(version, endpoint, 1, 2, window, PathMtu.MTU_1024, 1 << 20, 3_000);
        }

        @ParameterizedTest
        @EnumSource(RefusalCode.class)
        @DisplayName("CP-09 FL-12 a refusal arrives with its words")
        void whenTheServerRefusesThenTheWordsArrive(RefusalCode code) {
            serve(new ControlMessage.Refusal(code, "these words"), true);

            RpcException failure = connectFails(Duration.ofSeconds(1));

            assertThat(failure).hasMessageContaining("the server refuses the session: these words");
            boolean forEver = code == RefusalCode.PROVIDER || code == RefusalCode.VERSION;
            assertThat(failure).isInstanceOf(forEver ? RdmaContractException.class : RdmaUnavailableException.class);
        }

        @Test
        @DisplayName("CP-16 CP-15 a server that never answers")
        void whenTheServerIsSilentThenTheClientGivesUp() {
            serve((socket, in) -> await(socket, "the client stays"));

            assertThat(connectFails(Duration.ofMillis(700))).isInstanceOf(RdmaUnavailableException.class);
        }

        @Test
        @DisplayName("CP-16 a server that closes before, within and after its welcome")
        void whenTheServerClosesThenTheClientGivesUp() {
            byte[] bytes = ControlCodec.encode(welcome(1, 8, ENDPOINT));
            int[] length = {0};
            serve((socket, in) -> {
                if (length[0]++ % 3 > 0) {
                    ControlCodec.read(in);
                }
                socket.getOutputStream().write(bytes, 0, length[0] % bytes.length);
            });

            assertThat(connectFails(Duration.ofMillis(1_500))).isInstanceOf(RdmaUnavailableException.class);
        }

        @Test
        @DisplayName("CP-16 CP-15 a server that welcomes byte by byte does not get more time")
        void whenTheServerDripsThenTheClientGivesUp() {
            byte[] bytes = ControlCodec.encode(welcome(1, 8, ENDPOINT));
            serve((socket, in) -> {
                for (byte each : bytes) {
                    socket.getOutputStream().write(each);
                    try {
                        Thread.sleep(150);
                    } catch (InterruptedException e) {
                        return;
                    }
                }
                await(socket, "the client stays");
            });

            assertThat(connectFails(Duration.ofMillis(700))).isInstanceOf(RdmaUnavailableException.class);
        }

        static Stream<Arguments> nonsense() {
            return Stream.of(
                    Arguments.of("another version", welcome(2, 8, ENDPOINT)),
                    Arguments.of("no window", welcome(1, 0, ENDPOINT)),
                    Arguments.of("a wider window than asked for", welcome(1, 9, ENDPOINT)),
                    Arguments.of("no address", welcome(1, 8, new UdEndpoint(new Gid(0, 0), 9, 77, 1))),
                    Arguments.of("a heartbeat", new ControlMessage.Heartbeat()),
                    Arguments.of("a goodbye", new ControlMessage.Goodbye("bye")),
                    Arguments.of("a hello", hello()));
        }

        @ParameterizedTest(name = "{0}")
        @MethodSource("nonsense")
        @DisplayName("CP-16 a welcome that makes no sense")
        void whenTheWelcomeMakesNoSenseThenTheClientGivesUp(String what, ControlMessage answer) {
            serve(answer, false);

            assertThat(connectFails(Duration.ofMillis(200))).isInstanceOf(RpcException.class);
        }

        @Test
        @DisplayName("CP-16 random bytes")
        void whenTheServerSendsGarbageThenTheClientGivesUp() {
            long seed = System.nanoTime();
            SplittableRandom random = new SplittableRandom(seed);
            serve((socket, in) -> {
                byte[] bytes = new byte[100];
                synchronized (random) {
                    random.nextBytes(bytes);
                }
                bytes[0] |= (byte) 0x80;
                socket.getOutputStream().write(bytes);
                await(socket, "seed " + seed);
            });

            assertThat(connectFails(Duration.ofMillis(500)))
                    .as("seed %d", seed)
                    .isInstanceOf(RdmaUnavailableException.class);
        }

        @Test
        @DisplayName("CP-16 what a server may not send in a live session ends it")
        void whenALiveServerSaysWhatItMayNotThenTheSessionEnds() {
            ControlMessage[] wrong = {
                hello(),
                welcome(1, 8, ENDPOINT),
                new ControlMessage.RcReady(),
                new ControlMessage.RcOffer(new RcEndpoint(GID, 1, 2, 3, 4)),
                new ControlMessage.RcAnswer(new RcEndpoint(GID, 1, 2, 3, 4)),
                new ControlMessage.Refusal(RefusalCode.CLOSING, "no"),
                new ControlMessage.Verify(1, new ServiceContract("s", List.of(), List.of())),
                new ControlMessage.Goodbye("bye")
            };
            int[] round = {0};
            serve((socket, in) -> {
                ControlCodec.read(in);
                socket.getOutputStream().write(ControlCodec.encode(welcome(1, 8, ENDPOINT)));
                socket.getOutputStream().write(ControlCodec.encode(wrong[round[0]++]));
                await(socket, "the client stays");
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
        void whenServersComeAndGoThenNothingIsUsedUp() {
            serve(welcome(1, 8, ENDPOINT), true);
            for (int i = 0; i < MANY; i++) {
                RpcSession session = channel.session(LONG);
                Runtimes.await("the session to end", () -> !session.isOpen());
            }
        }

        @Test
        @DisplayName("CP-08 verdicts and heartbeats that nobody asked for are ignored")
        void whenAVerdictComesUnaskedThenTheSessionLives() throws IOException {
            CompletableFuture<Socket> accepted = new CompletableFuture<>();
            serve((socket, in) -> {
                ControlCodec.read(in);
                socket.getOutputStream().write(ControlCodec.encode(welcome(1, 8, ENDPOINT)));
                for (int i = 0; i < 10; i++) {
                    socket.getOutputStream().write(ControlCodec.encode(new ControlMessage.Verdict(1_000 + i, "no")));
                    socket.getOutputStream().write(ControlCodec.encode(new ControlMessage.Heartbeat()));
                }
                accepted.complete(socket);
                ControlMessage.Verify verify = null;
                while (verify == null) {
                    verify = ControlCodec.read(in) instanceof ControlMessage.Verify it ? it : null;
                }
                socket.getOutputStream().write(ControlCodec.encode(new ControlMessage.Verdict(verify.number(), "")));
                await(socket, "the client stays");
            });

            RpcSession session = channel.session(LONG);
            Runtimes.get(accepted);
            channel.verify(session, Echo.CONTRACT);

            assertThat(session.isOpen()).isTrue();
        }

        @Test
        @DisplayName("FL-12 a server that does not answer about a contract: in time, in words")
        void whenTheServerDoesNotAnswerAboutAContractThenTheClientGivesUp() {
            serve((socket, in) -> {
                ControlCodec.read(in);
                socket.getOutputStream().write(ControlCodec.encode(welcome(1, 8, ENDPOINT)));
                await(socket, "the client stays");
            });
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
            serve((socket, in) -> {
                ControlCodec.read(in);
                socket.getOutputStream().write(ControlCodec.encode(welcome(1, 8, ENDPOINT)));
                while (!(ControlCodec.read(in) instanceof ControlMessage.Verify)) {
                    // Heartbeats.
                }
            });
            RpcSession session = channel.session(LONG);

            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> channel.verify(session, Echo.CONTRACT))
                    .withMessageContaining("could not be asked about service test.Echo: the session ended: ");
        }

        @Test
        @DisplayName("CP-04 FC-08 a client whose own receive ring is spoken for: back-pressure, at once")
        void whenTheOwnRingIsSpokenForThenTheClientSaysSo() {
            serve(welcome(1, 8, ENDPOINT), false);
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
            serve((socket, in) -> {
                ControlCodec.read(in);
                hello.complete(null);
                Runtimes.get(closed);
                socket.getOutputStream().write(ControlCodec.encode(welcome(1, 8, ENDPOINT)));
                await(socket, "the client stays");
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
