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

/** Seen by the block of the request: the slot's packet has it until the call is completed. */
@DisplayName("The completion of a call whose caller runs the loop")
class DeferredCompletionTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final RpcCall call = session.prepareCall(RpcCall.End.UNTOLD);
    private final List<Packet> sent = new ArrayList<>();

    @AfterEach
    void nothingLeft() {
        call.close();
        rig.turn();
        assertThat(rig.blocksInUse()).isZero();
        assertThat(session.activeSlots).isZero();
        rig.close();
    }

    /** The clock is asked when the call has left, and then in the first turn of the thread that waits. */
    private void callAndAnswer(ClientSession of, RpcCall made) {
        EngineRig.filled(made.request(32), EngineRig.bytes(32));
        rig.whenAskedForTheTime(() -> rig.whenAskedForTheTime(() -> answer(of)));
        made.call(EngineRig.ECHO, MINUTE);
        made.release();
    }

    private void answer(ClientSession of) {
        sent.addAll(rig.sent());
        byte[] answer =
                Packet.response(of, sent.getLast().index(), EngineRig.bytes(8)).bytes();
        rig.nic.receive(answer, EngineRig.PEER_QPN, EngineRig.PEER_GID);
    }

    private DeferredCompletion deferred() {
        return rig.loop.deferred();
    }

    @Test
    @DisplayName("is deferred when the caller continues")
    void whenTheCallerHasItsResponseThenTheRestIsDeferred() {
        callAndAnswer(session, call);

        assertThat(deferred().isDeferred()).isTrue();
        assertThat(rig.blocksInUse()).isOne();
        assertThat(session.outstanding()).isZero();
    }

    @Test
    @DisplayName("is done by the next thread that runs the loop")
    void whenAnyThreadRunsTheLoopThenItIsDone() {
        callAndAnswer(session, call);

        rig.turnOnce();
        assertThat(rig.blocksInUse()).isZero();
        assertThat(session.activeSlots).isZero();
        assertThat(session.roundTrips().samples()).isOne();
    }

    @Test
    @DisplayName("is not needed when the next call takes the slot over")
    void whenTheCallerCallsAgainThenItsSlotIsUsedAgain() {
        for (int i = 0; i < 3; i++) {
            callAndAnswer(session, call);
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
        RpcCall second = other.prepareCall(RpcCall.End.UNTOLD);
        callAndAnswer(session, call);
        callAndAnswer(other, second);

        assertThat(session.activeSlots).isZero();
        assertThat(other.activeSlots).isOne();
        second.close();
        rig.turn();
        assertThat(other.activeSlots).isZero();
    }

    @Test
    @DisplayName("is done before another caller's call, which goes its usual way")
    void whenAnotherCallIsMadeThenItIsDoneFirst() {
        callAndAnswer(session, call);
        TestCall other = rig.call(session, EngineRig.bytes(3));
        rig.turn();

        assertThat(session.activeSlots).isOne();
        assertThat(deferred().isDeferred()).isFalse();
        session.cancel(other);
    }

    @Test
    @DisplayName("is done before a second response, which is stale")
    void whenTheAnswerComesAgainThenItIsStale() {
        callAndAnswer(session, call);
        answer(session);
        rig.turnOnce();

        assertThat(rig.dropped(Drop.STALE)).isOne();
        assertThat(session.activeSlots).isZero();
    }

    @Test
    @DisplayName("is not deferred when the request was retransmitted, so that the round trip is unknown")
    void whenTheRequestWasRepeatedThenNothingIsDeferred() {
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        rig.whenAskedForTheTime(() -> rig.whenAskedForTheTime(() -> {
            rig.clock.advance(EngineRig.RETRANSMIT_TIMEOUT.plus(EngineRig.TICK).plus(EngineRig.TICK));
            rig.whenAskedForTheTime(() -> answer(session));
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
    void whenThereIsNoCreditLeftThenItIsDone() {
        callAndAnswer(session, call);
        session.credits.own(0);
        EngineRig.filled(call.request(32), EngineRig.bytes(32));

        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> call.call(
                        EngineRig.ECHO, stopAfter(Duration.ofMillis(10)).toNanos()));
        assertThat(deferred().isDeferred()).isFalse();
        assertThat(rig.sent()).isEmpty();
    }

    private Duration stopAfter(Duration time) {
        rig.whenAskedForTheTime(() -> rig.whenAskedForTheTime(() -> rig.clock.advance(time.plus(EngineRig.TICK))));
        return time;
    }

    @Test
    @DisplayName("wakes the thread that has to run the loop for the next call")
    void whenTheNextCallersThreadIsInterruptedThenTheLoopIsWoken() {
        callAndAnswer(session, call);
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        int before = rig.wakeUps;
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> call.call(EngineRig.ECHO, MINUTE));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(rig.wakeUps).isGreaterThan(before);
        answer(session);
    }

    @Test
    @DisplayName("is done when the loop stops")
    void whenTheLoopStopsThenItIsDone() {
        callAndAnswer(session, call);

        rig.loop.shutDown("the test is over");
        assertThat(rig.blocksInUse()).isZero();
        assertThat(session.activeSlots).isZero();
        rig.loop.resume();
    }
}
