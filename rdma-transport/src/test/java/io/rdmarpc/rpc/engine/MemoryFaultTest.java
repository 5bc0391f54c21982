package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RequestHandler;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A provider fails with an unexpected exception while another thread moves a message: the call still ends. */
@DisplayName("If registering memory fails with an unexpected exception")
class MemoryFaultTest {

    private static final int METHOD = 77;
    private static final byte[] LARGE = EngineRig.bytes(300_000);
    private static final byte[] HELLO = EngineRig.bytes(11);

    static Stream<Throwable> faults() {
        return Stream.of(new IllegalStateException("on purpose"), new LinkageError("on purpose"));
    }

    private static EngineRig ownedRig() {
        EngineRig rig = new EngineRig();
        assertThat(rig.loop.ownership().tryAcquire()).isTrue();
        return rig;
    }

    private static void leave(EngineRig rig) {
        rig.nic.breakMemory(null);
        rig.loop.ownership().release();
        rig.close();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void thenACallMadeOnTheLoopFails(Throwable fault) {
        EngineRig rig = ownedRig();
        ClientSession session = rig.client();
        rig.nic.breakMemory(fault);
        TestCall call = rig.call(session, LARGE);
        rig.runLoop();

        assertThat(call.failure().status()).isEqualTo(RpcStatus.INTERNAL);
        assertThat(call.failure()).hasMessageContaining("on purpose");
        assertThat(session.outstanding()).isZero();
        leave(rig);
    }

    @Test
    void whenTheSystemHasNoMemoryThenThatIsBackPressure() {
        EngineRig rig = ownedRig();
        ClientSession session = rig.client();
        rig.nic.breakMemory(new OutOfMemoryError("on purpose"));
        TestCall call = rig.call(session, LARGE);
        rig.runLoop();

        assertThat(call.failure()).isInstanceOf(RdmaBackpressureException.class);
        leave(rig);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void thenACallOfAnotherThreadFails(Throwable fault) {
        EngineRig rig = new EngineRig();
        ClientSession session = rig.client();
        var buffer = rig.slab.allocate();
        buffer.length(session.maxPacketPayload() + 1);
        rig.nic.breakMemory(fault);
        TestCall call = new TestCall();
        session.call(EngineRig.ECHO, buffer, 1_000_000_000, call);

        assertThat(call.failure().status()).isEqualTo(RpcStatus.INTERNAL);
        rig.nic.breakMemory(null);
        rig.close();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void thenAResponseOnTheLoopBecomesAFailure(Throwable fault) {
        EngineRig rig = ownedRig();
        ServerSession session = rig.server();
        rig.serve(METHOD, (RequestHandler) request -> EngineRig.respond(request, LARGE), null);
        rig.nic.breakMemory(fault);
        rig.receive(Packet.request(session, FIRST, METHOD, HELLO));

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.INTERNAL.code());
        assertThat(rig.loop.gauges().executingCalls()).isZero();
        leave(rig);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void thenALargeRequestIsRejectedAndTheNextOneIsAccepted(Throwable fault) {
        EngineRig rig = new EngineRig();
        ServerSession session = rig.server();
        rig.connect(session);
        rig.nic.breakMemory(fault);
        rig.receive(Packet.largeRequest(session, FIRST, EngineRig.ECHO, LARGE.length, 0x1000, 7));
        assertThat(rig.onlySent().status()).isNotEqualTo(RpcStatus.OK.code());

        rig.nic.breakMemory(null);
        rig.receive(Packet.request(session, FIRST + 1, EngineRig.ECHO, HELLO));
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
        rig.close();
    }

    @ParameterizedTest
    @MethodSource("faults")
    void thenAStreamWhoseMessageIsLostFailsAtBothEnds(Throwable fault) {
        try (StreamPair pair = new StreamPair()) {
            TestStream opened = pair.open();
            assertThat(pair.client.loop.ownership().tryAcquire()).isTrue();
            pair.client.nic.breakMemory(fault);
            assertThat(opened.offer(LARGE)).isTrue();
            pair.untilIdle();

            assertThat(opened.failure().status()).isEqualTo(RpcStatus.INTERNAL);
            assertThat(pair.accepted.failure().status()).isEqualTo(RpcStatus.CANCELLED);
            pair.client.nic.breakMemory(null);
            pair.client.loop.ownership().release();
        }
    }
}
