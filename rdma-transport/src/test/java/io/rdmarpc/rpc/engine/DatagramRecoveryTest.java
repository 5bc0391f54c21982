package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("FL-16 a failed datagram queue pair")
class DatagramRecoveryTest {

    private final EngineRig rig = new EngineRig();
    private final ClientSession client = rig.client();
    private final ServerSession server = rig.server();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void whenItFailsThenItsSessionsEndWithTheirCalls() {
        TestCall call = rig.call(client, new byte[8]);
        rig.runLoop();

        rig.nic.failDatagrams();
        rig.runLoop();
        assertThat(rig.hostOf(client).broken).hasSize(1).first().asString().contains("datagram queue pair");
        assertThat(rig.hostOf(server).broken).hasSize(1);
        rig.remove(client, rig.hostOf(client).broken.getFirst());

        assertThat(call.failure())
                .isInstanceOf(RdmaUnavailableException.class)
                .hasMessageContaining("datagram queue pair");
    }

    @Test
    void whenItWasResetThenNewSessionsWork() {
        rig.nic.failDatagrams();
        rig.runLoop();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
        ServerSession fresh = rig.server();
        rig.receive(Packet.request(fresh, EngineRig.FIRST, EngineRig.ECHO, new byte[] {1, 2}));
        assertThat(rig.onlySent().body()).containsExactly(1, 2);
    }

    @Test
    void whenItWasResetThenNothingIsAtTheNicAnyMore() {
        rig.nic.holdSends(true);
        rig.call(client, new byte[8]);
        rig.runLoop();
        rig.nic.failDatagrams();
        rig.runLoop();

        rig.remove(client, "broken");
        rig.pass(Duration.ofMillis(2));

        assertThat(rig.hostOf(client).drained).isEqualTo(1);
    }

    @Test
    void whenReadersHoldEntriesThenTheseAreReturnedLater() {
        rig.receive(Packet.request(server, EngineRig.FIRST, EngineRig.HOLD, new byte[] {1, 2}));
        rig.nic.failDatagrams();
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING - 1);
        assertThat(rig.held.getFirst().message().length()).isEqualTo(2);

        rig.held.getFirst().message().close();
        rig.runLoop();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    void whenItCannotBeResetThenTheResetIsRetried() {
        rig.nic.rejectStates(true);
        rig.nic.failDatagrams();
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isZero();

        rig.nic.rejectStates(false);
        rig.pass(Duration.ofMillis(1001));

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    void whenItIsDownThenPacketsWaitAndAreSentAfterwards() {
        rig.nic.rejectStates(true);
        rig.nic.failDatagrams();
        rig.runLoop();
        ClientSession fresh = rig.client();
        rig.call(fresh, new byte[8]);
        rig.runLoop();
        assertThat(rig.sent()).isEmpty();

        rig.nic.rejectStates(false);
        rig.pass(Duration.ofMillis(1001));

        assertThat(rig.sent()).isNotEmpty().allMatch(packet -> packet.body().length == 8);
    }
}
