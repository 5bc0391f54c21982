package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.client.PreparedCall;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Observed by the entries of the receive ring, which are posted again in the maintenance phase. */
@DisplayName("A duty cycle of a thread that waits for a call")
class DeferredMaintenanceTest {

    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final PreparedCall call = (PreparedCall) session.prepareCall(RpcCall.End.NONE);
    private byte[] response = {};

    @BeforeEach
    void start() {
        EngineRig.filled(call.request(32), EngineRig.bytes(32));
        call.start(EngineRig.ECHO, MINUTE);
        rig.runLoop();
        response = Packet.response(session, rig.onlySent().index(), EngineRig.bytes(8))
                .bytes();
    }

    @AfterEach
    void nothingLeft() {
        call.close();
        rig.runLoop();
        rig.close();
    }

    /** Delivers the response twice, so that one entry has to be posted again. */
    private void respondTwice() {
        rig.nic.receive(response, EngineRig.PEER_QPN, EngineRig.PEER_GID);
        rig.nic.receive(response, EngineRig.PEER_QPN, EngineRig.PEER_GID);
        assertThat(runCycle()).isPositive();
        assertThat(call.hasEnded()).isTrue();
    }

    private int runCycle() {
        return rig.loop.cycle().run(DutyCycle.Mode.AWAIT_CALL, call);
    }

    @Test
    @DisplayName("ends when the call has, and the next cycle begins with its maintenance phase")
    void whenNoOtherThreadWaitsThenMaintenanceIsDeferred() {
        respondTwice();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 2);

        int _ = runCycle();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
    }

    @Test
    @DisplayName("is completed by the next thread that runs the loop")
    void whenAnotherThreadRunsTheLoopThenTheMaintenancePhaseRuns() {
        respondTwice();

        rig.runCycle();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
    }

    @Test
    @DisplayName("has all phases while another call is in progress")
    void whenAnotherCallIsInProgressThenNothingIsDeferred() {
        TestCall other = rig.call(session, EngineRig.bytes(3));
        rig.runLoop();
        respondTwice();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
        session.cancel(other);
        rig.runLoop();
    }

    @Test
    @DisplayName("has released the call's memory after the maintenance phase")
    void whenTheMaintenancePhaseHasRunThenNoBlockIsKept() {
        respondTwice();
        assertThat(rig.blocksInUse()).isOne();

        rig.runCycle();
        assertThat(rig.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("keeps no memory when the loop stops before the maintenance phase")
    void whenTheLoopStopsInBetweenThenNoBlockIsLeaked() {
        respondTwice();

        rig.loop.shutDown("the test is over");
        assertThat(rig.blocksInUse()).isZero();
        rig.loop.resume();
    }
}
