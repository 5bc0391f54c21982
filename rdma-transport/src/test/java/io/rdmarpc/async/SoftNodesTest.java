package io.rdmarpc.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.async.error.RdmaConnectionLostException;
import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaExchangeException.Reason;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.exchange.ExchangeSocket;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two nodes on the software RNIC of this host, and invalid input from peers. */
@Timeout(60)
@DisplayName("Nodes on the software RNIC")
@SuppressWarnings("FutureReturnValueIgnored") // tests wait for the effects of callbacks
class SoftNodesTest {

    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final RdmaNodeConfig CONFIG =
            RdmaNodeConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final RdmaNode client = RdmaNode.open(CONFIG);
    private final RdmaNode server = RdmaNode.open(CONFIG);
    private final RdmaListener listener = server.listen(ANY);

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private static RdmaNodeConfig impatient() {
        return CONFIG.withTimeouts(Duration.ofMillis(300), Duration.ofSeconds(5));
    }

    private static <T> T get(CompletableFuture<T> future) {
        return future.copy().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    private static <T extends Throwable> T failure(CompletableFuture<?> future, Class<T> type) {
        Throwable cause = catchThrowableOfType(CompletionException.class, () -> get(future))
                .getCause();
        assertThat(cause).isInstanceOf(type);
        return type.cast(cause);
    }

    private LocalSlice granted(String text) {
        return server.allocate(4096, AccessFlag.REMOTE_READ).slice().put(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void shouldReadEachOthersMemory() {
        LocalSlice theirs = granted("remote text");
        LocalSlice mine = client.allocate(theirs.length()).slice();
        RdmaConnection connection = client.connect(listener.address());
        RdmaConnection accepted = listener.accept(PATIENCE);

        get(connection.read(mine, RemoteMemoryRange.decode(theirs.remote().encode())));

        assertThat(new String(mine.toBytes(), StandardCharsets.UTF_8)).isEqualTo("remote text");
        assertThat(client.polling()).isEqualTo(PollingMode.EVENTS);
        LocalSlice back = server.allocate(8).slice();
        LocalSlice source = client.allocate(8, AccessFlag.REMOTE_READ).slice().put(new byte[] {1, 2, 3});
        get(accepted.read(back.slice(0, 3), source.remote()));
        assertThat(back.slice(0, 3).toBytes()).containsExactly(1, 2, 3);
    }

    @Test
    void shouldRunTheExampleOfTheManual() throws Exception {
        assertThat(AsyncExample.readHello(CONFIG)).isEqualTo("hello");
    }

    @Test
    void shouldShareMemoryAndListenerAmongManyConnections() {
        LocalSlice theirs = granted("shared");
        LocalRegion mine = client.allocate(8 * theirs.length());
        RdmaConnection first = client.connect(listener.address());
        for (int i = 0; i < 8; i++) {
            RdmaConnection next = i % 2 == 0 ? first.another() : client.connect(listener.address());
            LocalSlice into = mine.slice(i * theirs.length(), theirs.length());
            get(next.read(into, theirs.remote()));
            assertThat(new String(into.toBytes(), StandardCharsets.UTF_8)).isEqualTo("shared");
        }
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> listener.accept(PATIENCE).another());
    }

    @Test
    void shouldConnectFromExchangedEndpoints() {
        LocalSlice theirs = granted("raw");
        LocalSlice mine = client.allocate(theirs.length()).slice();
        PreparedConnection here = client.prepare();
        PreparedConnection there = server.prepare();
        RdmaConnection connection =
                here.complete(QueuePairEndpoint.decode(there.endpoint().encode()));
        there.complete(QueuePairEndpoint.decode(here.endpoint().encode()));

        get(connection.read(
                mine,
                RemoteMemoryRange.of(
                        theirs.remote().address(),
                        theirs.length(),
                        theirs.remote().rkey())));

        assertThat(new String(mine.toBytes(), StandardCharsets.UTF_8)).isEqualTo("raw");
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> here.complete(there.endpoint()));
    }

    @Test
    void whenPollingIsManualThenTheUserPolls() {
        try (RdmaNode manual = RdmaNode.open(CONFIG.withPolling(PollingMode.MANUAL, null))) {
            LocalSlice theirs = granted("by hand");
            LocalSlice mine = manual.allocate(theirs.length()).slice();
            CompletableFuture<Void> read = manual.connect(listener.address()).read(mine, theirs.remote());
            long end = System.nanoTime() + PATIENCE.toNanos();
            while (!read.isDone() && System.nanoTime() - end < 0) {
                manual.poll();
            }
            assertThat(read).isCompletedWithValue(null);
        }
    }

    @Test
    void shouldCompleteFuturesInTheExecutorOfTheNode() {
        try (var executor = Executors.newSingleThreadExecutor(task -> new Thread(task, "callbacks"));
                RdmaNode node = RdmaNode.open(CONFIG.withPolling(PollingMode.THREAD, executor))) {
            LocalSlice theirs = granted("x");
            RdmaConnection connection = node.connect(listener.address());
            CompletableFuture<String> thread = new CompletableFuture<>();
            connection
                    .read(node.allocate(1).slice(), theirs.remote())
                    .thenRun(() -> thread.complete(Thread.currentThread().getName()));
            assertThat(get(thread)).isIn("callbacks", Thread.currentThread().getName());
        }
    }

    @Test
    void whenACallbackClosesTheNodeThenItCloses() {
        RdmaConnection connection = client.connect(listener.address());
        LocalRegion theirs = server.allocate(8, AccessFlag.REMOTE_READ);

        get(connection.read(client.allocate(8).slice(), theirs.remote()).thenRun(client::close));

        client.close();
        get(connection.ended());
        assertThatExceptionOfType(RdmaExchangeException.class).isThrownBy(() -> client.allocate(8));
    }

    @Test
    void shouldSupportEveryOperation() {
        RdmaConnection connection = client.connect(listener.address());
        RdmaConnection accepted = listener.accept(PATIENCE);
        LocalSlice mine = client.allocate(5).slice().put("hello".getBytes(StandardCharsets.UTF_8));
        LocalRegion theirs =
                server.allocate(64, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC);
        LocalRegion inbox = server.allocate(64);
        RemoteMemoryRange word = theirs.slice(8, 8).remote();
        CompletableFuture<Received> message = accepted.receive(inbox.slice(0, 16));
        CompletableFuture<Received> withImmediate = accepted.receive(inbox.slice(16, 16));
        CompletableFuture<Received> immediateOnly = accepted.receive(inbox.slice(32, 0));

        get(connection.send(mine));
        get(connection.sendWithImmediate(mine, 1));
        get(connection.write(mine, theirs.slice(20, 5).remote()));
        get(connection.writeWithImmediate(mine, theirs.slice(30, 5).remote(), -2));

        assertThat(get(message)).isEqualTo(new Received(5, OptionalInt.empty(), false));
        assertThat(get(withImmediate)).isEqualTo(new Received(5, OptionalInt.of(1), false));
        assertThat(get(immediateOnly)).isEqualTo(new Received(5, OptionalInt.of(-2), true));
        assertThat(new String(inbox.slice(16, 5).toBytes(), StandardCharsets.UTF_8))
                .isEqualTo("hello");
        assertThat(new String(theirs.slice(20, 5).toBytes(), StandardCharsets.UTF_8))
                .isEqualTo("hello");
        assertThat(get(connection.fetchAndAdd(word, 7))).isZero();
        assertThat(get(connection.compareAndSwap(word, 7, 9))).isEqualTo(7);
        assertThat(get(connection.fetchAndAdd(word, 0))).isEqualTo(9);
    }

    @Test
    void whenPollingIsThreadThenAThreadPolls() {
        try (RdmaNode polling = RdmaNode.open(CONFIG.withPolling(PollingMode.THREAD, null))) {
            assertThat(polling.polling()).isEqualTo(PollingMode.THREAD);
            LocalSlice theirs = granted("abc");
            LocalSlice mine = polling.allocate(theirs.length()).slice();
            get(polling.connect(listener.address()).read(mine, theirs.remote()));
            assertThat(mine.toBytes()).isEqualTo(theirs.toBytes());
        }
    }

    @Test
    void whenTheOwnerDoesNotPollThenItsMemoryIsReadable() {
        try (RdmaNode passive = RdmaNode.open(CONFIG.withPolling(PollingMode.MANUAL, null));
                RdmaListener passiveListener = passive.listen(ANY)) {
            LocalSlice theirs =
                    passive.allocate(8, AccessFlag.REMOTE_READ).slice().put(new byte[] {4, 5, 6});
            LocalSlice mine = client.allocate(3).slice();
            get(client.connect(passiveListener.address())
                    .read(mine, theirs.slice(0, 3).remote()));
            assertThat(mine.toBytes()).containsExactly(4, 5, 6);
        }
    }

    @Test
    void whenAReadIsNotAllowedThenOnlyThatConnectionEnds() {
        RdmaConnection bad = client.connect(listener.address());
        RdmaConnection good = client.connect(listener.address());
        LocalSlice secret = server.allocate(64).slice();
        LocalSlice open = granted("open");
        LocalRegion mine = client.allocate(128);

        RdmaOperationException rejected =
                failure(bad.read(mine.slice(0, 64), secret.remote()), RdmaOperationException.class);

        assertThat(rejected.status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        get(bad.ended());
        get(good.read(mine.slice(64, 4), open.remote()));
    }

    @Test
    void whenThePeerClosesThenTheConnectionEnds() {
        RdmaConnection connection = client.connect(listener.address());
        RdmaConnection accepted = listener.accept(PATIENCE);
        RdmaConnection other = client.connect(listener.address());

        accepted.close();
        get(connection.ended());

        assertThat(failure(connection.send(client.allocate(8).slice()), RdmaConnectionLostException.class))
                .hasMessageContaining("ended the connection");
        assertThat(other.isOpen()).isTrue();
        server.close();
        get(other.ended());
        assertThatExceptionOfType(RdmaExchangeException.class).isThrownBy(() -> client.connect(listener.address()));
    }

    @Test
    @Tag("processes")
    void whenThePeersProcessIsKilledThenTheConnectionEnds() throws IOException {
        try (AsyncPeer peer = AsyncPeer.start("soft", "soft.addresses=127.0.0.1", "soft.port=0")) {
            RdmaConnection connection = client.connect(peer.address());
            LocalRegion mine = client.allocate(AsyncPeer.REGION_BYTES);
            get(connection.read(mine.slice(), peer.region()));
            assertThat(new String(mine.slice(0, 20).toBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("from another process");

            peer.kill();

            get(connection.ended());
            failure(connection.read(mine.slice(), peer.region()), RdmaConnectionLostException.class);
            assertThat(connection.pending()).isZero();
        }
    }

    @Nested
    @DisplayName("are isolated over shared memory:")
    class ApartOverSharedMemory extends NodeIsolationCases {
        ApartOverSharedMemory() {
            super(CONFIG);
        }
    }

    @Nested
    @DisplayName("are isolated over UDP:")
    class ApartOverUdp extends NodeIsolationCases {
        ApartOverUdp() {
            super(CONFIG.withProvider(
                    "soft",
                    Map.of("soft.addresses", "127.0.0.1", "soft.port", "0", "soft.shared-memory.enabled", "false")));
        }
    }

    @Nested
    @DisplayName("handle invalid input:")
    class Strangers {

        private Reason reasonOf(Runnable action) {
            return catchThrowableOfType(RdmaExchangeException.class, action::run)
                    .reason();
        }

        private byte[] message(int magic, int version, int kind, byte... body) {
            return java.nio.ByteBuffer.allocate(ExchangeSocket.HEAD_BYTES + body.length)
                    .putInt(magic)
                    .put((byte) version)
                    .put((byte) kind)
                    .putShort((short) body.length)
                    .put(body)
                    .array();
        }

        private byte[] hello(byte... body) {
            return message(ExchangeSocket.MAGIC, ExchangeSocket.VERSION, ExchangeSocket.HELLO, body);
        }

        /** Returns the response of the listener to these bytes; checks that the listener still accepts connections. */
        private byte[] responseTo(byte[] bytes) throws IOException {
            try (Socket socket = new Socket(
                    listener.address().getAddress(), listener.address().getPort())) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                socket.getOutputStream().write(bytes);
                byte[] response = socket.getInputStream().readAllBytes();
                assertThat(client.connect(listener.address()).isOpen()).isTrue();
                listener.accept(PATIENCE).close();
                return response;
            }
        }

        @Test
        void whenBytesAreGarbageThenTheyAreRejected() throws IOException {
            byte[] garbage = "GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(StandardCharsets.UTF_8);
            assertThat(new String(responseTo(garbage), StandardCharsets.UTF_8))
                    .contains("not a message of this exchange");
        }

        @Test
        void whenTheVersionDiffersThenItIsRejected() throws IOException {
            assertThat(new String(
                            responseTo(message(ExchangeSocket.MAGIC, 9, ExchangeSocket.HELLO)), StandardCharsets.UTF_8))
                    .contains("uses version 9");
        }

        @Test
        void whenTheEndpointIsZeroThenItIsRejected() throws IOException {
            assertThat(responseTo(hello(new byte[QueuePairEndpoint.BYTES]))[5])
                    .isEqualTo((byte) ExchangeSocket.REJECTION);
        }

        @Test
        void whenTheEndpointIsTooShortThenItIsRejected() throws IOException {
            assertThat(responseTo(hello(new byte[3]))[5]).isEqualTo((byte) ExchangeSocket.REJECTION);
        }

        @Test
        void whenThePeerSendsNothingThenTheListenerTimesOut() throws IOException {
            try (RdmaNode busy = RdmaNode.open(impatient());
                    RdmaListener short1 = busy.listen(ANY);
                    Socket silent = new Socket(
                            short1.address().getAddress(), short1.address().getPort())) {
                silent.setSoTimeout((int) PATIENCE.toMillis());
                assertThat(silent.getInputStream().readAllBytes()).isNotEmpty();
                assertThat(client.connect(short1.address()).isOpen()).isTrue();
            }
        }

        @Test
        void whenTheListenerSendsNothingThenConnectTimesOut() throws IOException {
            try (RdmaNode node = RdmaNode.open(impatient());
                    ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                InetSocketAddress address = (InetSocketAddress) silent.getLocalSocketAddress();
                assertThat(reasonOf(() -> node.connect(address))).isEqualTo(Reason.TIMED_OUT);
                assertThat(node.toString()).endsWith(" and 0 completions reserved");
            }
        }

        @Test
        void whenTheListenerSendsControlCharactersThenTheyAreRemoved() throws Exception {
            byte[] words = "no\nINFO user admin logged in\u001b[31m".getBytes(StandardCharsets.UTF_8);
            try (ServerSocket hostile = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                InetSocketAddress address = (InetSocketAddress) hostile.getLocalSocketAddress();
                Thread responder = Thread.ofVirtual().start(() -> {
                    try (Socket caller = hostile.accept()) {
                        caller.getOutputStream()
                                .write(message(
                                        ExchangeSocket.MAGIC, ExchangeSocket.VERSION, ExchangeSocket.REJECTION, words));
                        caller.shutdownOutput();
                        caller.getInputStream().readAllBytes();
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
                assertThatExceptionOfType(RdmaExchangeException.class)
                        .isThrownBy(() -> client.connect(address))
                        .withMessageContaining("rejected the connection: no INFO user admin logged in?[31m");
                responder.join();
            }
        }

        @Test
        void whenNoListenerExistsThenConnectFails() throws IOException {
            InetSocketAddress address = listener.address();
            listener.close();
            assertThat(reasonOf(() -> client.connect(address))).isIn(Reason.UNREACHABLE, Reason.CLOSED);
            assertThat(reasonOf(listener::accept)).isEqualTo(Reason.CLOSED);
        }

        @Test
        void whenNoPeerConnectsThenAcceptTimesOut() {
            assertThat(reasonOf(() -> listener.accept(Duration.ofMillis(1)))).isEqualTo(Reason.TIMED_OUT);
            listener.close();
            assertThat(reasonOf(() -> listener.accept(ChronoUnit.FOREVER.getDuration())))
                    .isEqualTo(Reason.CLOSED);
        }

        @Test
        void whenThePortIsInUseThenListenFails() {
            assertThat(reasonOf(() -> server.listen(listener.address()))).isEqualTo(Reason.UNREACHABLE);
        }

        @Test
        void whenARangeIsMalformedThenDecodeFails() {
            byte[] good = RemoteMemoryRange.of(4096, 64, 7).encode();
            assertThat(RemoteMemoryRange.decode(good)).isEqualTo(RemoteMemoryRange.of(4096, 64, 7));
            assertThat(reasonOf(() -> RemoteMemoryRange.decode(new byte[3]))).isEqualTo(Reason.BAD_BYTES);
            assertThat(reasonOf(() -> RemoteMemoryRange.decode(new byte[RemoteMemoryRange.ENCODED_BYTES])))
                    .isEqualTo(Reason.BAD_BYTES);
            good[16] = (byte) 0x80;
            assertThat(reasonOf(() -> RemoteMemoryRange.decode(good))).isEqualTo(Reason.BAD_BYTES);
        }

        @Test
        void whenAMessageFollowsTheExchangeThenTheConnectionEnds() throws IOException {
            try (Socket socket = new Socket(
                            listener.address().getAddress(), listener.address().getPort());
                    PreparedConnection prepared = client.prepare()) {
                socket.setSoTimeout((int) PATIENCE.toMillis());
                socket.getOutputStream().write(hello(prepared.endpoint().encode()));
                byte[] head = socket.getInputStream().readNBytes(ExchangeSocket.HEAD_BYTES);
                assertThat(head[5]).isEqualTo((byte) ExchangeSocket.WELCOME);
                socket.getOutputStream()
                        .write(message(ExchangeSocket.MAGIC, ExchangeSocket.VERSION, ExchangeSocket.READY));
                RdmaConnection accepted = listener.accept(PATIENCE);

                socket.getOutputStream().write(new byte[ExchangeSocket.HEAD_BYTES]);

                get(accepted.ended());
            }
        }
    }
}
