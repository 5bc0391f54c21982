package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcCall;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Seen by the entries of the receive ring: they are posted again in the second half of a turn. */
@DisplayName("A turn for a caller")
class HalfTurnTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final PreparedCall call = (PreparedCall) session.prepareCall(RpcCall.End.UNTOLD);
    private byte[] answer = {};

    @BeforeEach
    void start() {
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        call.start(EngineRig.ECHO, MINUTE);
        rig.turn();
        answer = Packet.response(session, rig.onlySent().index(), EngineRig.bytes(8))
                .bytes();
    }

    @AfterEach
    void nothingLeft() {
        call.close();
        rig.turn();
        rig.close();
    }

    /** The answer, and once more, so that one entry is to be posted again. */
    private void answerTwice() {
        rig.nic.receive(answer, EngineRig.PEER_QPN, EngineRig.PEER_GID);
        rig.nic.receive(answer, EngineRig.PEER_QPN, EngineRig.PEER_GID);
        assertThat(rig.loop.doWorkFor(call)).isPositive();
        assertThat(call.hasEnded()).isTrue();
    }

    @Test
    @DisplayName("ends when the call has, and its second half begins the next one")
    void whenNobodyElseWaitsThenTheRestIsPutOff() {
        answerTwice();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 2);

        rig.loop.doWorkFor(call);
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
    }

    @Test
    @DisplayName("whose second half was put off is made whole by whoever turns next")
    void whenAnotherThreadTurnsThenNothingIsLeftOut() {
        answerTwice();

        rig.turnOnce();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
    }

    @Test
    @DisplayName("is a whole one while another call is under way")
    void whenAnotherCallIsUnderWayThenNothingIsPutOff() {
        TestCall other = rig.call(session, EngineRig.bytes(3));
        rig.turn();
        answerTwice();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
        session.cancel(other);
        rig.turn();
    }

    @Test
    @DisplayName("has the call's memory back in the pool when it is whole")
    void whenTheRestIsDoneThenNoBlockIsKept() {
        answerTwice();
        assertThat(rig.blocksInUse()).isOne();

        rig.turnOnce();
        assertThat(rig.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("that is never made whole keeps no memory either")
    void whenTheLoopStopsInBetweenThenNoBlockIsKept() {
        answerTwice();

        rig.loop.shutDown("the test is over");
        assertThat(rig.blocksInUse()).isZero();
        rig.loop.resume();
    }
}
