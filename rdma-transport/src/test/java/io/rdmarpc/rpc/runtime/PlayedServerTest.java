package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.engine.Packet;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import io.rdmarpc.transport.RcConnection;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A client, and a server whose every packet a test writes. */
@Timeout(120)
@ParameterizedClass
@EnumSource
class PlayedServerTest {

    private static final int WINDOW = 8;
    private static final int METHOD = 0x1234;
    private static final int LARGE = 20_000;

    @Parameter
    SoftLink link;

    private ExecutorService executor;
    private RdmaRuntime calling;
    private PlayedEngine stranger;
    private ServerSocket listener;
    private PlayedPeer control;
    private ControlMessage.Open open;
    private RpcSession session;

    @BeforeEach
    void open() throws IOException {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        calling = Runtimes.open(link.options());
        stranger = new PlayedEngine(link);
        listener = new ServerSocket(0, 50, Runtimes.LOOPBACK);
        RpcChannel channel = Runtimes.channel(calling, listener.getLocalPort());
        CompletableFuture<RpcSession> live = CompletableFuture.supplyAsync(() -> channel.session(LONG), executor);
        control = new PlayedPeer(listener.accept());
        control.read();
        control.send(PlayedPeer.WELCOME);
        open = control.await(ControlMessage.Open.class);
        control.send(PlayedPeer.opened(open.link(), WINDOW, stranger.endpoint()));
        session = Runtimes.get(live);
    }

    @AfterEach
    void close() throws Exception {
        calling.close();
        control.close();
        listener.close();
        stranger.close();
        executor.close();
        assertThat(calling.registeredBytes()).isZero();
    }

    private CompletableFuture<byte[]> call(int bytes) {
        return Echo.call(session, METHOD, Echo.payload(bytes, bytes), LONG);
    }

    private Packet response(Packet request) {
        return new Packet(
                PacketType.RESPONSE,
                0,
                0,
                open.session(),
                request.cookie(),
                request.index(),
                0,
                request.body().length,
                -1,
                request.body());
    }

    /** Skips earlier requests, which may be retransmitted if their responses took long. */
    private Packet requestAfter(long index) {
        Packet request = stranger.receive(PacketType.REQUEST);
        while (request.index() == index) {
            request = stranger.receive(PacketType.REQUEST);
        }
        return request;
    }

    private void send(Packet packet) {
        stranger.send(open.endpoint(), packet);
    }

    private void awaitDrops(String reason, long count) {
        Runtimes.await(
                count + " drops for " + reason,
                () -> calling.statistics().drops().getOrDefault(reason, 0L) == count);
    }

    @Test
    @DisplayName("LO-06 ME-01 responses: stale, future, with a wrong cookie, the right one, repeated")
    void shouldKeepTheTableOfItsSlots() {
        CompletableFuture<byte[]> call = call(20);
        Packet response = response(stranger.receive(PacketType.REQUEST));

        send(response.withIndex(response.index() - WINDOW));
        awaitDrops("stale", 1);
        send(response.withIndex(response.index() + WINDOW));
        awaitDrops("stale", 2);
        send(response.withIndex(response.index() + 1));
        awaitDrops("stale", 3);
        send(response.withCookie(~response.cookie()));
        awaitDrops("cookie", 1);
        assertThat(call).isNotDone();

        send(response);
        assertThat(Runtimes.get(call)).isEqualTo(Echo.payload(20, 20));
        send(response);
        awaitDrops("stale", 4);

        CompletableFuture<byte[]> next = call(30);
        send(response(requestAfter(response.index())));
        assertThat(Runtimes.get(next)).isEqualTo(Echo.payload(30, 30));
    }

    @Test
    @DisplayName("LG-12 LG-09 a large response in memory that may not be READ: the call fails, and its session ends")
    void whenTheResponseMayNotBeReadThenTheCallFails() throws IOException {
        CompletableFuture<byte[]> call = call(LARGE);
        connectReliably();
        Packet request = stranger.receive(PacketType.LARGE_REQUEST);
        byte[] nowhere = new byte[ReadDescriptor.BYTES];
        ReadDescriptor.write(MemorySegment.ofArray(nowhere), 0, 0x1000, 0x7777_7777);

        send(new Packet(
                PacketType.LARGE_RESPONSE,
                0,
                0,
                open.session(),
                request.cookie(),
                request.index(),
                0,
                LARGE,
                -1,
                nowhere));

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> Runtimes.get(call))
                .withMessageContaining("READ");
        assertThat(session.isOpen()).isFalse();
    }

    private void connectReliably() throws IOException {
        control.send(new ControlMessage.RcWanted(open.link()));
        ControlMessage.RcOffer offer = control.await(ControlMessage.RcOffer.class);
        RcConnection connection = stranger.prepare();
        PlayedEngine.complete(connection, offer.endpoint());
        assertThat(control.exchange(new ControlMessage.RcResponse(open.link(), connection.endpoint())))
                .isEqualTo(new ControlMessage.RcReady(open.link()));
    }
}
