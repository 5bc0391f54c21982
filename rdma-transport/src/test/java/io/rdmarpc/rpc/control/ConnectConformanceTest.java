package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Connecting, step by step")
class ConnectConformanceTest {

    private final ControlRig rig = new ControlRig();
    private final MemoryWire wire = new MemoryWire();

    private static void assertFailed(CompletableFuture<ClientControl> opening, String reason) {
        assertThat(opening)
                .isCompletedExceptionally()
                .satisfies(failed -> assertThat(failed.exceptionNow())
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(reason));
    }

    @Test
    @DisplayName("CP-02 ten sessions: none is live before its response, each is live after it")
    void whenResponsesArriveThenSessionsAreLive() {
        ClientConnection client = rig.connect(wire);
        rig.say(client, ControlRig.welcome());
        for (int link = 1; link <= 10; link++) {
            CompletableFuture<ClientControl> opening = rig.open(client);
            assertThat(opening).isNotDone();
            rig.say(client, ControlRig.opened(link));
            assertThat(opening.join().session().isOpen()).isTrue();
        }
        assertThat(rig.clientSessions()).isEqualTo(10);
    }

    @Test
    @DisplayName("CP-03 repeated connecting and disconnecting leaves nothing behind")
    void whenSessionsOpenAndCloseThenNoResourceIsLeaked() {
        rig.turn();
        long before = rig.nic.registeredBytes();
        for (int round = 0; round < 1_000; round++) {
            MemoryWire own = new MemoryWire();
            ServerConnection server = rig.welcomed(own);
            rig.say(server, ControlRig.open(1));
            rig.say(server, new ControlMessage.Goodbye("done"));
            rig.pass(Duration.ofMillis(2));
        }
        rig.assertNothingLeft();
        rig.pass(Duration.ofSeconds(31));
        assertThat(rig.context.tokens.size()).isZero();
        assertThat(rig.nic.registeredBytes()).isEqualTo(before);
    }

    @Test
    @DisplayName("CP-05 a closing server rejects a session within one round trip")
    void whenTheServerIsClosingThenItRejectsAtOnce() {
        boolean[] closing = {false};
        ServerConnection server = new ServerConnection(rig.context, () -> closing[0], () -> {});
        server.accepted(wire, Duration.ofSeconds(5));
        rig.say(server, ControlRig.hello());
        wire.takeSent();
        closing[0] = true;
        rig.say(server, ControlRig.open(1));

        assertThat(wire.takeSent())
                .containsExactly(new ControlMessage.Rejected(1, SessionRejectReason.CLOSING, "the server is closing"));
    }

    @Test
    @DisplayName("CP-06 CP-11 no path to the client: the server rejects the session, and nothing is left")
    void whenTheServerHasNoPathThenItRejects() {
        ServerConnection server = rig.welcomed(wire);
        rig.nic.rejectHandles(true);
        rig.say(server, ControlRig.open(1));

        assertThat(wire.takeSent())
                .singleElement()
                .isInstanceOfSatisfying(
                        ControlMessage.Rejected.class,
                        rejection -> assertThat(rejection.detail()).contains("ENETUNREACH"));
        server.onWireEnd("closed");
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-06 CP-09 CP-11 no path to the server: the caller fails, the server is notified, nothing is left")
    void whenTheClientHasNoPathThenTheCallerFails() {
        ClientConnection client = rig.connect(wire);
        rig.say(client, ControlRig.welcome());
        CompletableFuture<ClientControl> opening = rig.open(client);
        rig.nic.rejectHandles(true);
        rig.say(client, ControlRig.opened(1));

        assertFailed(opening, "the server responds, but its NIC cannot be reached");
        assertThat(wire.takeSent().getLast()).isInstanceOf(ControlMessage.Close.class);
        client.onWireEnd("closed");
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-09 CP-11 a rejected session leaves nothing behind; the connection carries others")
    void whenASessionIsRejectedThenOthersAreNot() {
        ClientConnection client = rig.connect(wire);
        rig.say(client, ControlRig.welcome());
        CompletableFuture<ClientControl> first = rig.open(client);
        rig.say(client, new ControlMessage.Rejected(1, SessionRejectReason.SESSION_LIMIT, "full"));
        CompletableFuture<ClientControl> second = rig.open(client);
        rig.say(client, ControlRig.opened(2));

        assertFailed(first, "the server rejects the session: full");
        assertThat(second).isCompleted();
        client.onWireEnd("closed");
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-14 FL-03 a connection that is lost during opening: the caller fails at once")
    void whenTheConnectionIsLostWhileOpeningThenTheCallerFails() {
        ClientConnection client = rig.connect(wire);
        CompletableFuture<ClientControl> early = rig.open(client);
        client.onWireEnd("the peer closed the control connection");
        rig.turn();

        assertFailed(early, "the peer closed the control connection");
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-15 a response that does not arrive in time: the caller fails, the server is notified")
    void whenNoResponseArrivesThenTheCallerFailsInTime() {
        ClientConnection client = rig.connect(wire);
        rig.say(client, ControlRig.welcome());
        CompletableFuture<ClientControl> opening = rig.open(client);
        for (int second = 0; second < 5; second++) {
            assertThat(opening).isNotDone();
            rig.pass(Duration.ofSeconds(1));
            rig.say(client, new ControlMessage.Heartbeat());
        }

        assertFailed(opening, "the server did not respond within 5000 ms");
        assertThat(wire.takeSent().getLast()).isInstanceOf(ControlMessage.Close.class);
    }

    @Test
    @DisplayName("CP-16 messages arrive in pieces of any size, and several at a time")
    void whenBytesArriveInPiecesThenMessagesAreWhole() {
        byte[] bytes = new byte[0];
        for (ControlMessage message :
                new ControlMessage[] {ControlRig.hello(), ControlRig.open(1), ControlRig.open(2)}) {
            byte[] frame = ControlCodec.encode(message);
            int at = bytes.length;
            bytes = Arrays.copyOf(bytes, at + frame.length);
            System.arraycopy(frame, 0, bytes, at, frame.length);
        }
        for (int size = 1; size <= bytes.length; size++) {
            MemoryWire own = new MemoryWire();
            ServerConnection server = rig.accept(own);
            for (int at = 0; at < bytes.length; at += size) {
                server.onBytes(ByteBuffer.wrap(bytes, at, Math.min(size, bytes.length - at)));
            }
            rig.turn();
            // The tokens are the same in each round.
            assertThat(own.takeSent()).as("pieces of %d bytes", size).hasSize(3);
            server.onWireEnd("closed");
            rig.turn();
        }
        rig.assertNothingLeft();
    }
}
