package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.engine.Packet;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server, a well-behaved client, and a client whose every packet a test writes. The last one must not affect the
 * first two.
 */
@Timeout(120)
@ParameterizedClass
@EnumSource
class PlayedClientTest {

    private static final int WINDOW = 8;
    private static final int RING = 1024;
    private static final int LARGE = 20_000;
    /** Memory for fewer large responses than a window has calls. */
    private static final long LENT = 192 << 10;

    private static final ServiceContract.Method COUNT = method("byte[] count(byte[])");

    private final AtomicInteger runs = new AtomicInteger();

    @Parameter
    SoftLink link;

    private ExecutorService executor;
    private RdmaRuntime serving;
    private RdmaRuntime calling;
    private RpcSession bystander;
    private PlayedEngine stranger;
    private PlayedPeer control;
    private ControlMessage.Opened opened;
    private int port;

    private static ServiceContract.Method method(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId("test.Counted", signature), signature);
    }

    @BeforeEach
    void open() throws IOException {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        serving = Runtimes.open(lending(LENT), link.options());
        calling = Runtimes.open(link.options());
        serving.export(Echo.export(executor));
        serving.export(new ServiceExport(
                new ServiceContract("test.Counted", List.of(COUNT), List.of()),
                List.of(new ServiceExport.Method(COUNT.id(), this::countAndEcho, executor))));
        RpcServer server = Runtimes.listen(serving);
        bystander = Runtimes.channel(calling, server).session(LONG);
        stranger = new PlayedEngine(link);
        port = server.address().getPort();
        control = PlayedPeer.welcomed(port);
        opened = (ControlMessage.Opened)
                control.exchange(PlayedPeer.open(1, stranger.endpoint(), WINDOW, PathMtu.MTU_1024, 1 << 20));
    }

    private static RpcConfig lending(long bytes) {
        return Runtimes.PATIENT.toBuilder().maxLentPerSession(bytes).build();
    }

    private void countAndEcho(RpcRequest request) {
        runs.incrementAndGet();
        EngineCases.respond(request);
    }

    @AfterEach
    void close() throws Exception {
        Runtimes.echo(bystander, 100);
        Runtimes.echo(bystander, 100_000);
        control.close();
        stranger.close();
        Runtimes.await(
                "the session of the misbehaving client to end",
                () -> serving.statistics().serverSessions() == 1);
        calling.close();
        serving.close();
        executor.close();
        assertThat(serving.registeredBytes()).isZero();
        assertThat(calling.registeredBytes()).isZero();
    }

    private Packet request(long index, int bytes) {
        byte[] body = Echo.payload(bytes, index);
        return new Packet(
                PacketType.REQUEST, 0, 0, opened.session(), opened.cookie(), index, COUNT.id(), bytes, -1, body);
    }

    private Packet largeRequest(long index, long address, int rkey, int length) {
        byte[] descriptor = new byte[ReadDescriptor.BYTES];
        ReadDescriptor.write(MemorySegment.ofArray(descriptor), 0, address, rkey);
        return new Packet(
                PacketType.LARGE_REQUEST,
                0,
                0,
                opened.session(),
                opened.cookie(),
                index,
                COUNT.id(),
                length,
                -1,
                descriptor);
    }

    private Packet release(long index) {
        return new Packet(PacketType.RELEASE, 0, 0, opened.session(), opened.cookie(), index, 0, 0, -1, new byte[0]);
    }

    private void send(Packet packet) {
        stranger.send(opened.endpoint(), packet);
    }

    private RcConnection connectReliably() throws IOException {
        return connectReliably(stranger, control);
    }

    private static RcConnection connectReliably(PlayedEngine engine, PlayedPeer peer) throws IOException {
        RcConnection connection = engine.prepare();
        ControlMessage.RcResponse response =
                (ControlMessage.RcResponse) peer.exchange(new ControlMessage.RcOffer(1, connection.endpoint()));
        PlayedEngine.complete(connection, response.endpoint());
        peer.send(new ControlMessage.RcReady(1));
        return connection;
    }

    private long drops(String reason) {
        return serving.statistics().drops().getOrDefault(reason, 0L);
    }

    /** A fault of a packet, and the reason under which it is counted. */
    enum Wrong {
        SHORT {
            @Override
            byte[] from(Packet packet) {
                return Arrays.copyOf(packet.bytes(), PacketHeader.BYTES - 1);
            }
        },
        VERSION {
            @Override
            byte[] from(Packet packet) {
                byte[] bytes = packet.bytes();
                bytes[0]++;
                return bytes;
            }
        },
        TYPE {
            @Override
            byte[] from(Packet packet) {
                return packet.withType(200).bytes();
            }
        },
        UNKNOWN_SESSION {
            @Override
            byte[] from(Packet packet) {
                return packet.withSession(packet.session() + 1_000).bytes();
            }
        },
        COOKIE {
            @Override
            byte[] from(Packet packet) {
                return packet.withCookie(packet.cookie() ^ 1).bytes();
            }
        },
        LENGTH {
            @Override
            byte[] from(Packet packet) {
                return packet.withLength(packet.length() + 1).bytes();
            }
        },
        STALE {
            @Override
            byte[] from(Packet packet) {
                return packet.withIndex(WINDOW - 1).bytes();
            }
        },
        STATE {
            @Override
            byte[] from(Packet packet) {
                return packet.withType(PacketType.RELEASE).bytes();
            }
        };

        abstract byte[] from(Packet packet);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("ME-01 LO-12 an invalid packet is counted under its reason and does not run")
    void whenAPacketIsInvalidThenItIsCountedAndDropped(Wrong wrong) {
        String reason = wrong.name().toLowerCase(Locale.ROOT);
        long before = drops(reason);

        stranger.send(opened.endpoint(), wrong.from(request(WINDOW, 20)), 1);

        Runtimes.await("a drop for " + reason, () -> drops(reason) == before + 1);
        assertThat(runs).hasValue(0);
        send(request(WINDOW, 20));
        assertThat(stranger.receive(PacketType.RESPONSE).body()).isEqualTo(Echo.payload(20, WINDOW));
    }

    @Test
    @DisplayName("ME-01 LO-12 a packet with the right cookie from another queue pair is counted and does not run")
    void whenTheSourceIsAnotherThenThePacketIsDropped() throws Exception {
        try (PlayedEngine thief = new PlayedEngine(link)) {
            thief.send(opened.endpoint(), request(WINDOW, 20));
            Runtimes.await("a drop for its source", () -> drops("source") == 1);
        }
        assertThat(runs).hasValue(0);
    }

    @Test
    @DisplayName("LO-12 garbage, ten times the receive ring, amid calls of another client, which gets its responses")
    void whenGarbageComesThenOthersGetResponses() {
        CompletableFuture<Void> calls = CompletableFuture.runAsync(
                () -> {
                    for (int i = 0; i < 2 * RING; i++) {
                        Runtimes.echo(bystander, Echo.INLINE_ECHO.id(), i % 200, i);
                    }
                },
                executor);
        byte[] garbage = Echo.payload(500, 7);
        for (int sent = 0; sent < 10 * RING; sent += 64) {
            stranger.send(opened.endpoint(), garbage, 64);
        }
        Runtimes.get(calls);
        send(request(WINDOW, 20));
        assertThat(stranger.receive(PacketType.RESPONSE).body()).hasSize(20);
        // Twice as many as the ring has entries: if entries were lost, none would be left.
        for (int i = 0; i < 2 * RING; i++) {
            Runtimes.echo(bystander, Echo.INLINE_ECHO.id(), i % 200, i);
        }
        assertThat(drops("version")).isPositive();
    }

    @Test
    @DisplayName("LO-05 SM-01 small requests: next, repeated, skipping ahead, stale")
    void shouldKeepTheTableOfItsSlots() {
        send(request(WINDOW, 20));
        Packet first = stranger.receive(PacketType.RESPONSE);
        assertThat(first.index()).isEqualTo(WINDOW);
        assertThat(first.body()).isEqualTo(Echo.payload(20, WINDOW));

        send(request(WINDOW, 20));
        assertThat(stranger.receive(PacketType.RESPONSE).body()).as("repeated").isEqualTo(first.body());
        assertThat(serving.statistics().duplicates()).isOne();
        assertThat(runs).hasValue(1);

        send(request(5 * WINDOW, 30));
        assertThat(stranger.receive(PacketType.RESPONSE).index())
                .as("skipping ahead")
                .isEqualTo(5 * WINDOW);
        assertThat(runs).hasValue(2);

        send(request(4 * WINDOW, 30));
        Runtimes.await("a stale request to be dropped", () -> drops("stale") == 1);
        assertThat(runs).hasValue(2);
    }

    @Test
    @DisplayName("LO-05 LO-07 LG-01 a large request that arrives three times is READ once and runs once")
    void whenALargeRequestIsRetransmittedThenItIsReadOnce() throws IOException {
        connectReliably();
        byte[] body = Echo.payload(LARGE, 3);
        MemoryRegion region = stranger.lend(body);
        Packet request = largeRequest(WINDOW, region.address(), region.rkey(), LARGE);

        stranger.send(opened.endpoint(), request.bytes(), 3);

        Packet response = stranger.receive(PacketType.LARGE_RESPONSE);
        assertThat(response.length()).isEqualTo(LARGE);
        send(request);
        assertThat(stranger.receive(PacketType.LARGE_RESPONSE).rkey())
                .as("the same memory again")
                .isEqualTo(response.rkey());
        assertThat(serving.statistics().reads()).isOne();
        assertThat(serving.statistics().duplicates()).isEqualTo(3);
        assertThat(runs).hasValue(1);
    }

    @Test
    @DisplayName("LO-11 LG-02 the memory of a large response is lent until its client releases it or reuses the slot")
    void whenALargeResponseIsReleasedThenItsMemoryIsFree() throws IOException {
        connectReliably();
        MemoryRegion region = stranger.lend(Echo.payload(LARGE, 3));
        long full = WINDOW;
        while (callLarge(full, region).type() == PacketType.LARGE_RESPONSE) {
            full++;
        }
        assertThat(full)
                .as("unreleased responses use up the memory that may be lent")
                .isBetween(WINDOW + 2L, 2L * WINDOW);

        send(release(WINDOW));
        assertThat(callLarge(full + 1, region).type()).as("after a release").isEqualTo(PacketType.LARGE_RESPONSE);
        assertThat(callLarge(full + 2, region).type())
                .as("and again none is free")
                .isEqualTo(PacketType.RESPONSE);
        assertThat(callLarge(2 * WINDOW + 1, region).type())
                .as("in the slot of an unreleased response")
                .isEqualTo(PacketType.LARGE_RESPONSE);
    }

    private Packet callLarge(long index, MemoryRegion region) {
        send(largeRequest(index, region.address(), region.rkey(), LARGE));
        Packet response = stranger.receive();
        while (response.index() != index || response.type() == PacketType.PROGRESS) {
            response = stranger.receive();
        }
        return response;
    }

    private Packet largeResponse() throws IOException {
        MemoryRegion region = stranger.lend(Echo.payload(LARGE, 3));
        Packet response = callLarge(WINDOW, region);
        assertThat(response.type()).isEqualTo(PacketType.LARGE_RESPONSE);
        return response;
    }

    @Test
    @DisplayName(
            "another session that knows address and key of a large response cannot READ it, and ends; the first can")
    void whenAnotherSessionReadsALargeResponseThenItIsRejected() throws IOException {
        RcConnection own = connectReliably();
        Packet response = largeResponse();
        try (PlayedEngine thief = new PlayedEngine(link);
                PlayedPeer other = PlayedPeer.welcomed(port)) {
            other.exchange(PlayedPeer.open(1, thief.endpoint(), WINDOW, PathMtu.MTU_1024, 1 << 20));
            RcConnection connection = connectReliably(thief, other);

            assertThat(thief.read(connection, response.remoteAddress(), response.rkey(), LARGE))
                    .isEqualTo(new PlayedEngine.Fetched(CompletionStatus.REM_ACCESS_ERR, null));
            assertThat(other.await(ControlMessage.Close.class).reason()).contains("not lent");
        }
        Runtimes.await("the access to be counted", () -> serving.accessErrors() == 1);
        assertThat(stranger.read(own, response.remoteAddress(), response.rkey(), LARGE)
                        .bytes())
                .isEqualTo(Echo.payload(LARGE, 3));
        Runtimes.await("the other session to end", () -> serving.statistics().serverSessions() == 2);
    }

    @Test
    @DisplayName("a large response that was released can no longer be READ, by its own session")
    void whenALargeResponseIsReleasedThenItCannotBeRead() throws IOException {
        RcConnection own = connectReliably();
        Packet response = largeResponse();
        assertThat(stranger.read(own, response.remoteAddress(), response.rkey(), LARGE)
                        .bytes())
                .isEqualTo(Echo.payload(LARGE, 3));

        send(release(WINDOW));
        send(request(WINDOW + 1, 20));
        stranger.receive(PacketType.RESPONSE);

        assertThat(stranger.read(own, response.remoteAddress(), response.rkey(), LARGE))
                .isEqualTo(new PlayedEngine.Fetched(CompletionStatus.REM_ACCESS_ERR, null));
        assertThat(control.await(ControlMessage.Close.class).reason()).contains("not lent");
    }

    /** The reason for which a READ of the server must fail. */
    enum BadMemory {
        /** An address and a key that no memory has. */
        NOWHERE,
        /** A length beyond the lent memory. */
        TOO_LONG,
        /** An address before the lent memory. */
        BEFORE,
        /** Memory that is no longer lent. */
        REVOKED
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "LG-09 LG-12 FL-11 memory that may not be READ: the NIC rejects it, only the session of that client ends")
    void whenMemoryMayNotBeReadThenTheSessionEnds(BadMemory bad) throws IOException {
        connectReliably();
        MemoryRegion region = stranger.lend(Echo.payload(LARGE, 3));
        Packet request = switch (bad) {
            case NOWHERE -> largeRequest(WINDOW, 0x1000, 0x7777_7777, LARGE);
            case TOO_LONG -> largeRequest(WINDOW, region.address(), region.rkey(), LARGE + 1);
            case BEFORE -> largeRequest(WINDOW, region.address() - 1, region.rkey(), LARGE);
            case REVOKED -> {
                region.close();
                yield largeRequest(WINDOW, region.address(), region.rkey(), LARGE);
            }
        };

        send(request);

        ControlMessage.Close close = control.await(ControlMessage.Close.class);
        assertThat(close.link()).isOne();
        assertThat(close.reason()).contains("READ");
        assertThat(runs).hasValue(0);
        assertThat(serving.statistics().reads()).isZero();
        assertThat(control.exchange(PlayedPeer.open(2, stranger.endpoint(), WINDOW, PathMtu.MTU_1024, 1 << 20)))
                .as("another session on the same connection")
                .isInstanceOf(ControlMessage.Opened.class);
    }
}
