package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.client.DeferredCompletion;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Observed by the block of the request: the slot's packet owns it until the call is completed. */
@DisplayName("The completion of a call whose caller runs the loop")
class DeferredCompletionTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final RpcCall call = session.prepareCall(RpcCall.End.NONE);
    private final List<Packet> sent = new ArrayList<>();

    @AfterEach
    void nothingLeft() {
        call.close();
        rig.runLoop();
        assertThat(rig.blocksInUse()).isZero();
        assertThat(session.activeSlots).isZero();
        rig.close();
    }

    /** The clock is read when the call has left, and then in the first cycle of the waiting thread. */
    private void callAndRespond(ClientSession of, RpcCall made) {
        EngineRig.filled(made.request(32), EngineRig.bytes(32));
        rig.whenTheClockIsRead(() -> rig.whenTheClockIsRead(() -> respond(of)));
        made.call(EngineRig.ECHO, MINUTE);
        made.release();
    }

    private void respond(ClientSession of) {
        sent.addAll(rig.sent());
        byte[] response =
                Packet.response(of, sent.getLast().index(), EngineRig.bytes(8)).bytes();
        rig.nic.receive(response, EngineRig.PEER_QPN, EngineRig.PEER_GID);
    }

    private DeferredCompletion deferred() {
        return rig.loop.deferred();
    }

    @Test
    @DisplayName("is deferred when the caller continues")
    void whenTheCallerHasItsResponseThenTheCompletionIsDeferred() {
        callAndRespond(session, call);

        assertThat(deferred().isDeferred()).isTrue();
        assertThat(rig.blocksInUse()).isOne();
        assertThat(session.outstanding()).isZero();
    }

    @Test
    @DisplayName("is done by the next thread that runs the loop")
    void whenAnyThreadRunsTheLoopThenItIsDone() {
        callAndRespond(session, call);

        rig.runCycle();
        assertThat(rig.blocksInUse()).isZero();
        assertThat(session.activeSlots).isZero();
        assertThat(session.roundTrips().samples()).isOne();
    }

    @Test
    @DisplayName("is not needed if the next call takes over the slot")
    void whenTheCallerCallsAgainThenItsSlotIsReused() {
        for (int i = 0; i < 3; i++) {
            callAndRespond(session, call);
        }

        assertThat(sent)
                .extracting(Packet::index)
                .containsExactly(
                        sent.getFirst().index(),
                        sent.getFirst().index() + EngineRig.WINDOW,
                        sent.getFirst().index() + 2 * EngineRig.WINDOW);
        assertThat(session.activeSlots).isOne();
        assertThat(session.roundTrips().samples()).isEqualTo(2);
    }

    @Test
    @DisplayName("is done before a call of another session")
    void whenACallOfAnotherSessionIsMadeThenItIsDoneFirst() {
        ClientSession other = rig.client();
        RpcCall second = other.prepareCall(RpcCall.End.NONE);
        callAndRespond(session, call);
        callAndRespond(other, second);

        assertThat(session.activeSlots).isZero();
        assertThat(other.activeSlots).isOne();
        second.close();
        rig.runLoop();
        assertThat(other.activeSlots).isZero();
    }

    @Test
    @DisplayName("is done before another caller's call, which uses the ordinary path")
    void whenAnotherCallIsMadeThenItIsDoneFirst() {
        callAndRespond(session, call);
        TestCall other = rig.call(session, EngineRig.bytes(3));
        rig.runLoop();

        assertThat(session.activeSlots).isOne();
        assertThat(deferred().isDeferred()).isFalse();
        session.cancel(other);
    }

    @Test
    @DisplayName("is done before a second response, which is stale")
    void whenTheResponseArrivesAgainThenItIsStale() {
        callAndRespond(session, call);
        respond(session);
        rig.runCycle();

        assertThat(rig.dropped(Drop.STALE)).isOne();
        assertThat(session.activeSlots).isZero();
    }

    @Test
    @DisplayName("is not deferred when the request was retransmitted, so that the round trip is unknown")
    void whenTheRequestWasRetransmittedThenNothingIsDeferred() {
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        rig.whenTheClockIsRead(() -> rig.whenTheClockIsRead(() -> {
            rig.clock.advance(EngineRig.RETRANSMIT_TIMEOUT.plus(EngineRig.TICK).plus(EngineRig.TICK));
            rig.whenTheClockIsRead(() -> respond(session));
        }));
        call.call(EngineRig.ECHO, MINUTE);
        call.release();

        assertThat(sent).hasSize(2);
        assertThat(deferred().isDeferred()).isFalse();
        assertThat(session.activeSlots).isZero();
        assertThat(session.roundTrips().samples()).isZero();
    }

    @Test
    @DisplayName("is not taken over when the server allows no call any more")
    void whenNoCreditIsLeftThenItIsCompleted() {
        callAndRespond(session, call);
        session.credits.own(0);
        EngineRig.filled(call.request(32), EngineRig.bytes(32));

        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> call.call(
                        EngineRig.ECHO, stopAfter(Duration.ofMillis(10)).toNanos()));
        assertThat(deferred().isDeferred()).isFalse();
        assertThat(rig.sent()).isEmpty();
    }

    private Duration stopAfter(Duration time) {
        rig.whenTheClockIsRead(() -> rig.whenTheClockIsRead(() -> rig.clock.advance(time.plus(EngineRig.TICK))));
        return time;
    }

    @Test
    @DisplayName("wakes the thread that has to run the loop for the next call")
    void whenTheNextCallersThreadIsInterruptedThenTheLoopIsWoken() {
        callAndRespond(session, call);
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        int before = rig.wakeUps;
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> call.call(EngineRig.ECHO, MINUTE));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(rig.wakeUps).isGreaterThan(before);
        respond(session);
    }

    @Test
    @DisplayName("is done when the loop stops")
    void whenTheLoopStopsThenItIsDone() {
        callAndRespond(session, call);

        rig.loop.shutDown("the test is over");
        assertThat(rig.blocksInUse()).isZero();
        assertThat(session.activeSlots).isZero();
        rig.loop.resume();
    }
}
