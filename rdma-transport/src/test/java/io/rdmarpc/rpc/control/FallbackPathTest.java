package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.stats.FallbackStatistics;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A server with a second NIC whose first NIC has failed")
class FallbackPathTest {

    private final MemoryWire wire = new MemoryWire();

    private static ControlRig dead(String secondProvider) {
        ControlRig rig = new ControlRig(ControlConfig.DEFAULTS, secondProvider);
        rig.context.port.onEvent(AsyncEvent.ofDevice(AsyncEventType.DEVICE_FATAL, "fake0"));
        return rig;
    }

    private void assertAcceptedOnFallback(ControlRig rig, ControlMessage.Open open) {
        ServerConnection client = rig.welcomed(wire);
        rig.say(client, open);

        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Opened.class);
        assertThat(rig.serverSessions()).as("sessions of the first NIC").isZero();
        assertThat(rig.context.fallback.statistics()).isEqualTo(new FallbackStatistics(0, 1));
        client.end("the test has ended");
        rig.pass(Duration.ofMillis(10));
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("FL-16 accepts a client that only the second NIC reaches")
    void whenOnlyTheSecondReachesTheClientThenItIsUsed() {
        assertAcceptedOnFallback(dead("other"), ControlRig.open(1, "other"));
    }

    @Test
    @DisplayName("FL-16 accepts a client that both NICs reach on the second one")
    void whenBothReachTheClientThenTheSecondIsUsed() {
        assertAcceptedOnFallback(dead("fake"), ControlRig.open(1, "fake"));
    }

    @Test
    @DisplayName("FL-16 rejects a client that only the first NIC reaches")
    void whenOnlyTheFirstReachesTheClientThenItIsRejected() {
        ControlRig rig = dead("other");
        ServerConnection client = rig.welcomed(wire);
        rig.say(client, ControlRig.open(1, "fake"));

        assertThat(wire.takeSent())
                .singleElement()
                .isInstanceOfSatisfying(
                        ControlMessage.Rejected.class,
                        rejected -> assertThat(rejected.reason()).isEqualTo(SessionRejectReason.DEVICE));
    }
}
