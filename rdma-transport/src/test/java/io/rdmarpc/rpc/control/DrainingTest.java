package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A server that is stopping, on the control connection,")
class DrainingTest {

    private final ControlRig rig = new ControlRig();
    private final MemoryWire wire = new MemoryWire();

    @Nested
    @DisplayName("at the server")
    class AtTheServer {

        private final ServerConnection client = rig.welcomed(wire);

        @Test
        @DisplayName("notifies each session of its last calls, and the session stays open until its client closes it")
        void whenTheServerStopsThenEachSessionIsNotified() {
            rig.say(client, ControlRig.open(1));
            rig.say(client, ControlRig.open(2));
            wire.takeSent();

            assertThat(client.drain()).hasSize(2);
            rig.turn();

            assertThat(wire.takeSent())
                    .containsExactly(
                            new ControlMessage.Draining(1, new long[] {0, 1, 2, 3}),
                            new ControlMessage.Draining(2, new long[] {0, 1, 2, 3}));
            assertThat(rig.serverSessions()).isEqualTo(2);
            rig.say(client, new ControlMessage.Close(1, "done"));
            assertThat(rig.serverSessions()).isOne();
        }

        @Test
        @DisplayName("must not receive an announcement from a client")
        void whenAClientAnnouncesThenItsConnectionEnds() {
            rig.say(client, ControlRig.open(1));
            wire.takeSent();

            rig.say(client, new ControlMessage.Draining(1, new long[] {0, 1, 2, 3}));

            assertThat(wire.takeSent())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            ControlMessage.Goodbye.class,
                            goodbye -> assertThat(goodbye.reason()).contains("a client may not send Draining"));
            rig.assertNothingLeft();
        }
    }

    @Nested
    @DisplayName("at the client")
    class AtTheClient {

        private final ClientConnection server = rig.connect(wire);

        private CompletableFuture<ClientControl> open() {
            CompletableFuture<ClientControl> opened = rig.open(server);
            rig.say(server, ControlRig.welcome());
            rig.turn();
            return opened;
        }

        @Test
        @DisplayName("has its idle session closed at once; the next one opens on another connection")
        void whenTheServerStopsThenAnIdleSessionIsClosed() {
            CompletableFuture<ClientControl> opened = open();
            rig.say(server, ControlRig.opened(1));
            int[] told = new int[1];
            opened.join().onServerStopping(() -> told[0]++);
            wire.takeSent();

            rig.say(server, new ControlMessage.Draining(1, new long[] {0, 1, 2, 3}));

            assertThat(wire.takeSent())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            ControlMessage.Close.class,
                            close -> assertThat(close.reason()).contains("the server is stopping"));
            assertThat(told[0]).isOne();
            assertThat(rig.retired).isPositive();
            assertThat(rig.clientSessions()).isZero();
        }

        @Test
        @DisplayName("has its session closed after a response that reports the stop, as after an announcement")
        void whenAResponseReportsTheStopThenTheSessionIsClosed() {
            CompletableFuture<ClientControl> opened = open();
            rig.say(server, ControlRig.opened(1));
            int[] told = new int[1];
            opened.join().onServerStopping(() -> told[0]++);
            wire.takeSent();

            opened.join().serverStops();
            opened.join().serverStops();
            rig.turn();

            assertThat(told[0]).isOne();
            assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Close.class);
        }

        @Test
        @DisplayName("that stops before the session is open, or rejects it because it is closing: it opens elsewhere")
        void whenTheServerStopsBeforeTheSessionIsOpenThenItIsNot() {
            CompletableFuture<ClientControl> opened = open();

            rig.say(server, new ControlMessage.Draining(1, new long[] {0, 1, 2, 3}));

            assertThatExceptionOfType(CompletionException.class)
                    .isThrownBy(opened::join)
                    .withCauseInstanceOf(IOException.class)
                    .withMessageContaining("stopping");
            CompletableFuture<ClientControl> second = rig.open(server);
            rig.say(server, new ControlMessage.Rejected(2, SessionRejectReason.CLOSING, "the server is closing"));
            assertThat(second).isCompletedExceptionally();
            assertThat(rig.retired).isEqualTo(2);
        }

        @ParameterizedTest
        @ValueSource(ints = {1, 3, 5, 256})
        @DisplayName("has its connection ended if it announces another number of slots")
        void whenTheNumberOfSlotsIsWrongThenTheConnectionEnds(int slots) {
            var _ = open();
            rig.say(server, ControlRig.opened(1));
            wire.takeSent();

            rig.say(server, new ControlMessage.Draining(1, new long[slots]));

            assertThat(wire.takeSent())
                    .singleElement()
                    .isInstanceOfSatisfying(
                            ControlMessage.Goodbye.class,
                            goodbye -> assertThat(goodbye.reason())
                                    .contains(slots + " slots for a session that has " + ControlRig.WINDOW));
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.clientSessions()).isZero();
        }

        @Test
        @DisplayName("may announce the stop of a session whose CLOSE has crossed the announcement")
        void whenTheSessionHasEndedThenTheAnnouncementIsIgnored() {
            CompletableFuture<ClientControl> opened = open();
            rig.say(server, ControlRig.opened(1));
            opened.join().end("not needed");
            rig.turn();
            wire.takeSent();

            rig.say(server, new ControlMessage.Draining(1, new long[] {0, 1, 2, 3}));

            assertThat(wire.takeSent()).isEmpty();
            assertThat(server.isLive()).isTrue();
        }
    }
}
