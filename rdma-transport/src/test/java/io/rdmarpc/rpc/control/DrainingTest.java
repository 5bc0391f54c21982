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

@DisplayName("A server that is stopping, on the control channel")
class DrainingTest {

    private final ControlRig rig = new ControlRig();
    private final MemoryWire wire = new MemoryWire();

    @Nested
    @DisplayName("at the server")
    class AtTheServer {

        private final ServerConnection client = rig.welcomed(wire);

        @Test
        @DisplayName("each session is told its last calls, and lives on until its client closes it")
        void whenTheServerStopsThenEachSessionIsTold() {
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
        @DisplayName("a client may not announce that it stops")
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
        @DisplayName("a session without calls is closed at once; the next one is opened on another connection")
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
        @DisplayName("an answer that tells of it before the announcement does the same; twice is once")
        void whenAnAnswerTellsOfItThenTheSessionIsClosed() {
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
        @DisplayName(
                "a server that stops before the session is there, or refuses it since it closes: tried again elsewhere")
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
        @DisplayName("an announcement for another number of slots ends the connection")
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
                                    .contains(slots + " slots of a session that has " + ControlRig.WINDOW));
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.clientSessions()).isZero();
        }

        @Test
        @DisplayName("an announcement for a session that has ended here crossed its CLOSE on the way")
        void whenTheSessionHasEndedThenTheAnnouncementMeansNothing() {
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
