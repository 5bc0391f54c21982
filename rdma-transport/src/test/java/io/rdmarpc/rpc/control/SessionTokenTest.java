package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The same request for a session, twice")
class SessionTokenTest {

    private static final Id128 TOKEN = new Id128(1, 2);

    private final ControlRig rig = new ControlRig();
    private final MemoryWire wire = new MemoryWire();
    private final ServerConnection connection = rig.welcomed(wire);

    private ControlMessage request(int link) {
        rig.say(connection, ControlRig.open(link, TOKEN));
        return wire.takeSent().getLast();
    }

    private static void assertRejected(ControlMessage response) {
        assertThat(response)
                .isInstanceOfSatisfying(
                        ControlMessage.Rejected.class,
                        rejection -> assertThat(rejection.reason()).isEqualTo(SessionRejectReason.DUPLICATE));
    }

    @Test
    @DisplayName("CP-07 the same token opens one session and gets the same response")
    void whenTheRequestIsRepeatedThenTheResponseIsTheSame() {
        ControlMessage first = request(1);

        assertThat(first).isInstanceOf(ControlMessage.Opened.class);
        assertThat(request(1)).isEqualTo(first);
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-07 a repeated request before the first response gets one response")
    void whenTheRequestIsRepeatedBeforeTheResponseThenThereIsOneResponse() {
        connection.onBytes(ByteBuffer.wrap(ControlCodec.encode(ControlRig.open(1, TOKEN))));
        connection.onBytes(ByteBuffer.wrap(ControlCodec.encode(ControlRig.open(1, TOKEN))));
        rig.turn();

        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Opened.class);
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-07 after the session has ended its token opens no other one")
    void whenTheSessionHasEndedThenTheRequestIsRejected() {
        request(1);
        rig.say(connection, new ControlMessage.Close(1, "done"));

        assertRejected(request(1));
        assertThat(rig.serverSessions()).isZero();
    }

    @Test
    @DisplayName("CP-07 after the token has expired it opens a new session")
    void whenTheTokenHasExpiredThenThereIsANewSession() {
        ControlMessage first = request(1);
        rig.say(connection, new ControlMessage.Close(1, "done"));
        for (int second = 0; second < 31; second++) {
            rig.pass(Duration.ofSeconds(1));
            rig.say(connection, new ControlMessage.Heartbeat());
        }

        assertThat(request(1)).isInstanceOf(ControlMessage.Opened.class).isNotEqualTo(first);
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-07 a token of another connection, or with another number, opens no session")
    void whenTheTokenIsReplayedElsewhereThenItIsRejected() {
        request(1);
        MemoryWire other = new MemoryWire();
        ServerConnection stranger = rig.welcomed(other);
        rig.say(stranger, ControlRig.open(1, TOKEN));

        assertRejected(other.takeSent().getLast());
        assertRejected(request(2));
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-08 late or duplicate responses open no second session and end none")
    void whenResponsesAreDuplicatedThenTheClientHasOneSession() {
        MemoryWire toServer = new MemoryWire();
        ClientConnection client = rig.connect(toServer);
        rig.say(client, ControlRig.welcome());
        var opening = rig.open(client);
        rig.say(client, ControlRig.opened(1));
        rig.say(client, ControlRig.opened(1));
        rig.say(client, new ControlMessage.Rejected(1, SessionRejectReason.CLOSING, "late"));

        assertThat(opening).isCompleted();
        assertThat(rig.clientSessions()).isOne();
        assertThat(opening.join().session().isOpen()).isTrue();
    }
}
