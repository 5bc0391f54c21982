package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The thread that runs the loop registers no memory. A handler's response waits for memory, the loop does not. */
class LoopMemoryTest {

    private static final int METHOD = 77;
    private static final int LENGTH = 300_000;
    private static final byte[] LARGE = EngineRig.bytes(LENGTH);
    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig();
    private final ServerSession session = rig.server();

    @BeforeEach
    void sit() {
        assertThat(rig.loop.ownership().tryAcquire()).isTrue();
    }

    @AfterEach
    void close() {
        rig.loop.ownership().release();
        rig.close();
    }

    private void receiveWithoutBlocking() {
        rig.nic.receive(
                Packet.request(session, EngineRig.FIRST, METHOD, HELLO).bytes(),
                EngineRig.PEER_QPN,
                EngineRig.PEER_GID);
        rig.runCycle();
    }

    private static byte[] responseTo(EngineRig rig, Packet packet) {
        return packet.type() == PacketType.LARGE_RESPONSE ? rig.lentBytes(packet) : packet.body();
    }

    private void serveLarge() {
        rig.serve(
                METHOD,
                (BytesHandler) call -> {
                    EngineRig.filled(call.response(LENGTH), LARGE);
                    call.respond();
                },
                null);
    }

    @Test
    @DisplayName("LG-02 the first large response of its size waits for its memory; other packets do not")
    void whenAnInlineResponseIsTheFirstOfItsSizeThenTheLoopDoesNotRegisterMemory() {
        serveLarge();
        long before = rig.budget.registeredBytes();
        receiveWithoutBlocking();
        assertThat(rig.budget.registeredBytes()).isEqualTo(before);
        assertThat(rig.sent()).isEmpty();

        rig.receive(Packet.request(session, EngineRig.FIRST + 1, EngineRig.ECHO, HELLO));
        List<byte[]> responses =
                rig.sent().stream().map(packet -> responseTo(rig, packet)).toList();
        assertThat(responses).containsExactlyInAnyOrder(LARGE, HELLO);
    }

    @Test
    @DisplayName("LG-02 the second large response uses lent memory from the start and leaves in the cycle of its call")
    void whenThereIsMemoryThenTheResponseDoesNotWait() {
        serveLarge();
        rig.receive(Packet.request(session, EngineRig.FIRST, METHOD, HELLO));
        rig.sent();
        rig.receive(Packet.release(session, EngineRig.FIRST));

        rig.nic.receive(
                Packet.request(session, EngineRig.FIRST + 1, METHOD, HELLO).bytes(),
                EngineRig.PEER_QPN,
                EngineRig.PEER_GID);
        rig.runCycle();

        assertThat(rig.lentBytes(rig.onlySent())).isEqualTo(LARGE);
    }

    @Test
    void whenAnOrdinaryHandlerRespondsOnTheLoopThenItAlsoWaitsForMemory() {
        rig.serve(METHOD, (RequestHandler) request -> EngineRig.respond(request, LARGE), null);
        long before = rig.budget.registeredBytes();
        receiveWithoutBlocking();
        assertThat(rig.budget.registeredBytes()).isEqualTo(before);

        rig.runLoop();
        assertThat(rig.lentBytes(rig.onlySent())).isEqualTo(LARGE);
    }

    @Test
    void whenPacketMemoryHasRunOutThenASmallResponseWaitsForMore() {
        rig.serve(METHOD, (BytesHandler) InlineCallTest::echo, null);
        List<MessageBuffer> all = new ArrayList<>();
        for (MessageBuffer next = rig.slab.tryAllocate(); next != null; next = rig.slab.tryAllocate()) {
            all.add(next);
        }
        long before = rig.budget.registeredBytes();
        receiveWithoutBlocking();
        assertThat(rig.budget.registeredBytes()).isEqualTo(before);

        rig.runLoop();
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
        all.forEach(MessageBuffer::close);
    }

    @Test
    void whenThereIsNoMemoryAtAllThenTheCallFails() {
        serveLarge();
        rig.nic.rejectMemory(true);
        rig.receive(Packet.request(session, EngineRig.FIRST, METHOD, HELLO));

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.INTERNAL.code());
        rig.nic.rejectMemory(false);
    }

    @Test
    void whenALargeCallIsMadeOnTheLoopThenItWaitsForItsMemory() {
        ClientSession client = rig.client();
        long before = rig.budget.registeredBytes();
        rig.call(client, LARGE);
        rig.runCycle();
        assertThat(rig.budget.registeredBytes()).isEqualTo(before);
        assertThat(rig.sent()).isEmpty();

        rig.runLoop();
        assertThat(rig.lentBytes(rig.onlySent())).isEqualTo(LARGE);
    }

    @Test
    @DisplayName("LT-01 a call that is cancelled while its request is moved ends now and is never sent")
    void whenALargeCallOnTheLoopIsCancelledWhileItIsMovedThenItIsNeverSent() {
        ClientSession client = rig.client();
        TestCall call = rig.call(client, LARGE);
        TestCall other = rig.call(client, LARGE);
        client.cancel(call);
        rig.runCycle();
        assertThat(call.failure().status()).isEqualTo(RpcStatus.CANCELLED);

        rig.runLoop();
        assertThat(rig.lentBytes(rig.onlySent())).isEqualTo(LARGE);
        assertThat(other.ends()).isZero();
        assertThat(client.outstanding()).isOne();
        assertThat(rig.blocksInUse())
                .as("the block of the other call, and the block of its control packet")
                .isEqualTo(2);
    }

    @Test
    @DisplayName("LT-01 a call that is cancelled before its request gets no memory fails once")
    void whenACancelledCallGetsNoMemoryThenItFailsOnce() {
        ClientSession client = rig.client();
        rig.nic.rejectMemory(true);
        TestCall call = rig.call(client, LARGE);
        client.cancel(call);
        rig.runLoop();

        assertThat(call.failure().status()).isEqualTo(RpcStatus.CANCELLED);
        assertThat(client.outstanding()).isZero();
        rig.nic.rejectMemory(false);
    }

    @Test
    void whenALargeCallOnTheLoopGetsNoMemoryThenItFails() {
        ClientSession client = rig.client();
        rig.nic.rejectMemory(true);
        TestCall call = rig.call(client, LARGE, Duration.ofSeconds(1));
        rig.runLoop();

        assertThat(call.failure()).isInstanceOf(RdmaBackpressureException.class);
        rig.nic.rejectMemory(false);
        TestCall next = rig.call(client, HELLO);
        rig.runLoop();
        assertThat(next.ends()).isZero();
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }
}
