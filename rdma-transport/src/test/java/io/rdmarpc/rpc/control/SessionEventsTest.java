package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("Events that end sessions")
class SessionEventsTest {

    private final ControlRig rig = new ControlRig();
    private final MemoryWire wire = new MemoryWire();
    private final ServerConnection client = rig.welcomed(wire);

    private void open(int link) {
        rig.say(client, ControlRig.open(link));
        assertThat(wire.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
    }

    private void report(AsyncEvent event) {
        rig.context.port.onEvent(event);
        rig.pass(Duration.ofMillis(10));
    }

    @ParameterizedTest
    @EnumSource(
            value = AsyncEventType.class,
            names = {"CQ_ERR", "DEVICE_FATAL", "SRQ_ERR", "WQ_FATAL"})
    @DisplayName("FL-16 a device or queue that fails ends all sessions at once; new ones are rejected")
    void whenTheDeviceFailsThenSessionsEnd(AsyncEventType type) {
        open(1);
        open(2);

        report(AsyncEvent.ofDevice(type, "fake0"));

        assertThat(wire.takeSent())
                .hasSize(2)
                .allSatisfy(message -> assertThat(message)
                        .isInstanceOfSatisfying(
                                ControlMessage.Close.class,
                                close -> assertThat(close.reason()).contains("failed: " + type)));
        assertThat(rig.serverSessions()).isZero();
        rig.say(client, ControlRig.open(3));
        assertThat(wire.takeSent().getLast())
                .isInstanceOfSatisfying(
                        ControlMessage.Rejected.class,
                        rejection -> assertThat(rejection.reason()).isEqualTo(SessionRejectReason.DEVICE));
    }

    @Test
    @DisplayName("FL-16 FL-17 a port that goes down ends sessions; when it is active again, new ones open")
    void whenThePortGoesDownThenSessionsEndUntilItIsActive() {
        open(1);

        report(AsyncEvent.ofPort(AsyncEventType.PORT_ERR, "fake0", 1));
        assertThat(rig.serverSessions()).isZero();
        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Close.class);

        report(AsyncEvent.ofPort(AsyncEventType.PORT_ACTIVE, "fake0", 1));
        open(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = AsyncEventType.class,
            names = {"COMM_EST", "GID_CHANGE", "SM_CHANGE", "LID_CHANGE", "PATH_MIG"})
    @DisplayName("FL-09 an event that breaks nothing ends no session; nor does an event of another port")
    void whenAnEventBreaksNothingThenSessionsLive(AsyncEventType type) {
        open(1);

        report(AsyncEvent.ofPort(type, "fake0", 1));
        report(AsyncEvent.ofPort(AsyncEventType.PORT_ERR, "fake0", 2));

        assertThat(rig.serverSessions()).isOne();
        assertThat(wire.takeSent()).isEmpty();
    }

    @Test
    @DisplayName("FL-01 FL-03 silence for the heartbeat timeout ends the connection and its sessions")
    void whenThePeerIsSilentThenItsSessionsEnd() {
        open(1);
        open(2);

        for (int i = 0; i < 5; i++) {
            rig.pass(Duration.ofMillis(500));
        }
        assertThat(rig.serverSessions()).isEqualTo(2);
        assertThat(wire.takeAll()).contains(new ControlMessage.Heartbeat());
        rig.pass(Duration.ofMillis(500));

        assertThat(wire.isClosed()).isTrue();
        assertThat(wire.takeSent()).containsExactly(new ControlMessage.Goodbye("no heartbeat for 3000 ms"));
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("a connection without a session is ended after a while")
    void whenThereIsNoSessionThenTheConnectionEnds() {
        for (int i = 0; i < 60; i++) {
            rig.pass(Duration.ofSeconds(1));
            rig.say(client, new ControlMessage.Heartbeat());
        }

        assertThat(wire.isClosed()).isTrue();
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-15 a handshake that is not done in time is ended, with its connection")
    void whenTheHandshakeTakesTooLongThenItIsEnded() {
        MemoryWire slow = new MemoryWire();
        slow.received = true;
        rig.accept(slow);
        rig.pass(Duration.ofMillis(4_999));
        assertThat(slow.isClosed()).isFalse();
        rig.pass(Duration.ofMillis(1));

        assertThat(slow.isClosed()).isTrue();
        assertThat(slow.takeSent())
                .containsExactly(new ControlMessage.Rejection(
                        SessionRejectReason.INTERNAL, "the handshake took longer than 5000 ms"));
    }

    @Test
    @DisplayName("CP-13 several engines and channels, one connection: a client opens sessions over it as needed")
    void whenSeveralSessionsAreOpenedThenOneConnectionCarriesThem() {
        MemoryWire toServer = new MemoryWire();
        ClientConnection connection = rig.connect(toServer);
        var early = rig.open(connection);
        rig.say(connection, ControlRig.welcome());
        var late = rig.open(connection);
        rig.say(connection, ControlRig.opened(1));
        rig.say(connection, ControlRig.opened(2));

        assertThat(early).isCompleted();
        assertThat(late).isCompleted();
        assertThat(toServer.takeSent())
                .filteredOn(message -> message instanceof ControlMessage.Hello)
                .hasSize(1);
        assertThat(rig.clientSessions()).isEqualTo(2);

        early.join().end("done");
        rig.pass(Duration.ofMillis(10));
        assertThat(toServer.takeSent()).containsExactly(new ControlMessage.Close(1, "done"));
        assertThat(late.join().session().isOpen()).isTrue();
    }
}
