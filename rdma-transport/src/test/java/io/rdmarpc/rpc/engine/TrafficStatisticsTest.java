package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.stats.TrafficStatistics;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("ME-02 the delays of an engine")
class TrafficStatisticsTest {

    private final EngineRig rig = new EngineRig(64 << 20, true, false);

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void whenMoreCallsThanSlotsWaitThenBacklogAndStallsAreCounted() {
        ClientSession session = rig.client();
        for (int i = 0; i < EngineRig.WINDOW + 3; i++) {
            rig.call(session, new byte[8]);
        }
        rig.runLoop();

        TrafficStatistics traffic = rig.loop.gauges().traffic();
        assertThat(traffic.backlog()).isEqualTo(3);
        assertThat(traffic.windowStalls()).isPositive();
        assertThat(traffic.creditsLent()).isEqualTo(EngineRig.WINDOW - 1);
        assertThat(traffic.messagesSent()).isEqualTo(EngineRig.WINDOW);
        assertThat(traffic.messagesBatched()).isEqualTo(EngineRig.WINDOW);
        assertThat(traffic.timersArmed()).isEqualTo(1);
    }

    @Test
    void whenTheBacklogEndsThenNoCallWaits() {
        ClientSession session = rig.client();
        for (int i = 0; i < EngineRig.WINDOW + 3; i++) {
            rig.call(session, new byte[8], Duration.ofMillis(5));
        }
        rig.runLoop();
        rig.pass(Duration.ofMillis(6));
        rig.remove(session, "over");

        assertThat(rig.loop.gauges().traffic().backlog()).isZero();
        assertThat(rig.loop.gauges().traffic().creditsLent()).isZero();
    }

    @Test
    void whenACreditIsMissingThenThatIsCountedSeparately() {
        ClientSession session = rig.client();
        session.credits.own(1);
        rig.call(session, new byte[8]);
        rig.call(session, new byte[8]);
        rig.runLoop();

        assertThat(rig.loop.gauges().traffic().creditStalls()).isEqualTo(1);
        assertThat(rig.loop.gauges().traffic().windowStalls()).isZero();
    }

    @Test
    void whenReadsAreAtTheNicThenTheyAreCountedUntilTheyEnd() {
        ServerSession session = rig.server();
        rig.receive(Packet.largeRequest(session, EngineRig.FIRST, EngineRig.ECHO, 5000, 0x1000, 7));
        rig.connect(session);
        assertThat(rig.loop.gauges().traffic().readsInFlight()).isEqualTo(1);

        rig.onlyRead().complete(EngineRig.bytes(5000), 0x1000);
        rig.runLoop();

        assertThat(rig.loop.gauges().traffic().readsInFlight()).isZero();
        assertThat(rig.loop.gauges().traffic().readsWaiting()).isZero();
    }

    @Test
    void whenTheLoopHasNothingToDoThenItsTimeIsIdle() {
        rig.runLoop();
        rig.clock.advance(Duration.ofMillis(9));
        rig.runLoop();
        rig.nic.receive(new byte[3], 1, EngineRig.PEER_GID);
        rig.runCycle();
        rig.clock.advance(Duration.ofMillis(1));
        rig.runLoop();

        assertThat(rig.loop.gauges().traffic().utilization()).isEqualTo(0.1);
    }

    @Test
    void shouldAddUp() {
        TrafficStatistics one = new TrafficStatistics(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14);

        assertThat(one.plus(one)).isEqualTo(new TrafficStatistics(2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28));
    }
}
