package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaBufferStateException;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.message.MessageView;
import io.rdmarpc.rpc.wire.PacketType;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A prepared call")
class PreparedCallTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final RpcCall call = session.prepareCall(RpcCall.End.NONE);

    @AfterEach
    void nothingLeft() {
        call.close();
        rig.runLoop();
        rig.close();
    }

    private static void fill(MessageBuffer buffer, int length) {
        EngineRig.filled(buffer, EngineRig.bytes(length));
    }

    private static byte[] bytes(MessageView view) {
        return view.payload().toArray(ValueLayout.JAVA_BYTE);
    }

    private void start(int length) {
        fill(call.request(length), length);
        call.start(EngineRig.ECHO, MINUTE);
        rig.runLoop();
    }

    private void respond(int length) {
        rig.receive(Packet.response(session, rig.onlySent().index(), EngineRig.bytes(length)));
    }

    @Test
    @DisplayName("provides the response in place")
    void whenItHasAResponseThenItProvidesIt() {
        start(32);
        respond(40);

        assertThat(call.hasEnded()).isTrue();
        assertThat(bytes(call.response())).isEqualTo(EngineRig.bytes(40));
    }

    /** The clock is read when the call has left, and then in the first cycle of the waiting thread. */
    private void whileItsCallerRunsTheLoop(Runnable step) {
        rig.whenTheClockIsRead(() -> rig.whenTheClockIsRead(step));
    }

    private void arrives(long index, int length) {
        byte[] packet = Packet.response(session, index, EngineRig.bytes(length)).bytes();
        rig.nic.receive(packet, EngineRig.PEER_QPN, EngineRig.PEER_GID);
    }

    @Test
    @DisplayName("ends in a duty cycle of its own caller, and counts until then")
    void whenItsCallerRunsTheLoopThenItEndsThere() {
        List<Integer> inProgress = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            fill(call.request(32), 32);
            whileItsCallerRunsTheLoop(() -> {
                inProgress.add(session.outstanding());
                arrives(rig.onlySent().index(), 8);
            });
            assertThat(bytes(call.call(EngineRig.ECHO, MINUTE))).isEqualTo(EngineRig.bytes(8));
        }

        assertThat(inProgress).containsExactly(1, 1, 1);
        assertThat(session.outstanding()).isZero();
    }

    @Test
    @DisplayName("whose caller runs the loop leaves before the clock is read, with its full timeout")
    void whenItsCallerRunsTheLoopThenItLeavesBeforeTheClockIsRead() {
        List<Packet> sent = new ArrayList<>();
        fill(call.request(32), 32);
        rig.whenTheClockIsRead(() -> {
            sent.add(rig.onlySent());
            rig.whenTheClockIsRead(() -> arrives(sent.getFirst().index(), 8));
        });
        call.call(EngineRig.ECHO, MINUTE);

        assertThat(sent)
                .extracting(Packet::remainingMicros)
                .containsExactly(Duration.ofMinutes(1).toNanos() / 1000);
    }

    @Test
    @DisplayName("whose caller runs the loop times out relative to when it left")
    void whenItsCallerRunsTheLoopThenItsTimeBeginsWithTheSend() {
        fill(call.request(32), 32);
        long[] before = new long[1];
        rig.whenTheClockIsRead(() -> {
            before[0] = rig.clock.nanoTime();
            rig.whenTheClockIsRead(() -> rig.clock.advance(Duration.ofMillis(100)));
        });

        assertThatExceptionOfType(RdmaTimeoutException.class)
                .isThrownBy(
                        () -> call.call(EngineRig.ECHO, Duration.ofMillis(100).toNanos()));
        assertThat(rig.clock.nanoTime() - before[0])
                .isEqualTo(Duration.ofMillis(100).toNanos());
    }

    @Test
    @DisplayName("whose caller runs the loop is rejected by a full backlog, which stays unchanged")
    void whenRejectedAsOwnerThenTheBacklogIsUnchanged() {
        int capacity = EngineRig.WINDOW + EngineRig.BACKLOG;
        for (int i = 0; i < capacity; i++) {
            rig.call(session, EngineRig.bytes(4));
        }
        fill(call.request(32), 32);

        assertThatExceptionOfType(RdmaBackpressureException.class).isThrownBy(() -> call.call(EngineRig.ECHO, MINUTE));
        assertThat(session.outstanding()).isEqualTo(capacity);
    }

    @Test
    @DisplayName("that is closed in a duty cycle of its own caller stays closed, and releases its response unread")
    void whenClosedInACycleOfItsCallerThenItStaysClosed() {
        RpcCall other = session.prepareCall(_ -> {
            call.close();
            Thread.currentThread().interrupt();
        });
        fill(other.request(32), 32);
        other.start(EngineRig.ECHO, MINUTE);
        rig.runLoop();
        long otherIndex = rig.onlySent().index();
        fill(call.request(32), 32);
        whileItsCallerRunsTheLoop(() -> {
            arrives(otherIndex, 8);
            arrives(rig.onlySent().index(), 8);
        });

        assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> call.call(EngineRig.ECHO, MINUTE));
        assertThat(Thread.interrupted()).isTrue();
        assertThatIllegalStateException().isThrownBy(() -> call.request(32)).withMessageContaining("closed");
        other.close();
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("can be started again with the same request handle and the same view")
    void whenStartedAgainThenItsObjectsAreTheSame() {
        MessageBuffer request = call.request(32);
        start(32);
        respond(8);
        MessageView first = call.response();
        assertThat(call.request(32)).isSameAs(request);
        start(32);
        respond(9);

        assertThat(call.response()).isSameAs(first);
        assertThat(bytes(call.response())).isEqualTo(EngineRig.bytes(9));
    }

    @Test
    @DisplayName("returns its ring entry when it is released, once")
    void whenReleasedThenTheRingIsComplete() {
        start(32);
        respond(8);
        call.release();
        call.release();
        rig.runLoop();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("returns its ring entry when it is started again")
    void whenStartedAgainThenTheRingIsComplete() {
        start(32);
        respond(8);
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
        start(32);

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("does not provide a response that was released")
    void whenReleasedThenThereIsNoResponse() {
        start(32);
        respond(8);
        call.release();

        assertThatIllegalStateException().isThrownBy(call::response);
    }

    @Test
    @DisplayName("cannot be started while it is in progress, and the engine owns its request")
    void whenInProgressThenItIsNotStarted() {
        MessageBuffer request = call.request(32);
        start(32);

        assertThatIllegalStateException().isThrownBy(() -> call.start(EngineRig.ECHO, MINUTE));
        assertThatIllegalStateException().isThrownBy(() -> call.request(32));
        assertThatExceptionOfType(RdmaBufferStateException.class).isThrownBy(request::segment);
    }

    @Test
    @DisplayName("cannot be started without a request")
    void whenThereIsNoRequestThenItIsNotStarted() {
        assertThatIllegalStateException().isThrownBy(() -> call.start(EngineRig.ECHO, MINUTE));
    }

    @Test
    @DisplayName("throws its failure, and can be started again")
    void whenItFailsThenItCanBeMadeAgain() {
        fill(call.request(32), 32);
        call.start(EngineRig.ECHO, Duration.ofMillis(5).toNanos());
        rig.pass(Duration.ofMillis(10));
        assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(call::response);
        rig.sent();
        start(32);
        respond(8);

        assertThat(bytes(call.response())).isEqualTo(EngineRig.bytes(8));
    }

    @Test
    @DisplayName("that is started again on its timeout is another call for the engine")
    void whenStartedAgainInItsEndThenTheOldResponseIsIgnored() {
        List<String> ends = new ArrayList<>();
        RpcCall[] self = new RpcCall[1];
        self[0] = session.prepareCall(ended -> {
            ends.add("end");
            if (ends.size() == 1) {
                fill(ended.request(16), 16);
                ended.start(EngineRig.ECHO, MINUTE);
            }
        });
        fill(self[0].request(32), 32);
        self[0].start(EngineRig.ECHO, Duration.ofMillis(5).toNanos());
        rig.runLoop();
        Packet first = rig.onlySent();
        rig.pass(Duration.ofMillis(6));
        rig.receive(Packet.response(session, first.index(), EngineRig.bytes(3)));

        assertThat(ends).hasSize(1);
        assertThat(self[0].hasEnded()).isFalse();
        self[0].close();
    }

    @Test
    @DisplayName("that is closed in progress releases its response unread")
    void whenClosedInProgressThenTheRingIsComplete() {
        start(32);
        call.close();
        respond(8);
        rig.runLoop();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
        assertThatIllegalStateException().isThrownBy(() -> call.request(1));
    }

    @Test
    @DisplayName("rejected by a full backlog keeps no ring entry")
    void whenRejectedThenTheRingIsComplete() {
        start(32);
        respond(8);
        int capacity = EngineRig.WINDOW + EngineRig.BACKLOG;
        for (int i = 0; i < capacity; i++) {
            rig.call(session, EngineRig.bytes(4));
        }
        start(32);

        assertThatExceptionOfType(RdmaBackpressureException.class).isThrownBy(call::response);
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("provides a large response in the memory it was READ into")
    void whenTheResponseIsLargeThenItIsRead() {
        rig.connect(session);
        start(32);
        byte[] large = EngineRig.bytes(5000);
        rig.receive(Packet.largeResponse(session, rig.onlySent().index(), large.length, 0x1000, 7));
        rig.onlyRead().complete(large, 0x1000);
        rig.runLoop();

        assertThat(bytes(call.response())).isEqualTo(large);
    }

    @Test
    @DisplayName("is notified of its response when its slot is free for the next one")
    void whenNotifiedThenItsSlotIsFree() {
        List<Integer> active = new ArrayList<>();
        RpcCall notified = session.prepareCall(ended -> active.add(session.activeSlots));
        fill(notified.request(32), 32);
        notified.start(EngineRig.ECHO, MINUTE);
        rig.runLoop();
        respond(8);
        notified.close();

        assertThat(active).containsExactly(0);
    }

    @Test
    @DisplayName("can be started again while the engine keeps the large request of an earlier one for the server")
    void whenAnEarlierOneIsKeptThenItCanBeStartedAgain() {
        rig.connect(session);
        fill(call.request(5000), 5000);
        call.start(EngineRig.ECHO, Duration.ofMillis(5).toNanos());
        rig.pass(Duration.ofMillis(6));
        rig.sent();
        fill(call.request(32), 32);
        call.start(EngineRig.ECHO, MINUTE);
        rig.runLoop();
        Packet small = rig.sent().stream()
                .filter(packet -> packet.type() == PacketType.REQUEST)
                .findFirst()
                .orElseThrow();
        rig.receive(Packet.response(session, small.index(), EngineRig.bytes(8)));

        assertThat(bytes(call.response())).isEqualTo(EngineRig.bytes(8));
        assertThat(session.activeSlots).as("that of the large request").isOne();
        rig.receive(Packet.response(session, small.index() - 1, EngineRig.bytes(1)));
    }
}
