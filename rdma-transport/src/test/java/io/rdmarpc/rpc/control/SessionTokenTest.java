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

@DisplayName("The same wish for a session, twice")
class SessionTokenTest {

    private static final Id128 TOKEN = new Id128(1, 2);

    private final ControlRig rig = new ControlRig();
    private final MemoryWire wire = new MemoryWire();
    private final ServerConnection connection = rig.welcomed(wire);

    private ControlMessage ask(int link) {
        rig.say(connection, ControlRig.open(link, TOKEN));
        return wire.takeSent().getLast();
    }

    private static void assertRefused(ControlMessage answer) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ControlMessage.Rejected.class,
                        rejection -> assertThat(rejection.code()).isEqualTo(SessionRejectReason.DUPLICATE));
    }

    @Test
    @DisplayName("CP-07 the same token makes one session and gets the same answer")
    void whenTheWishComesAgainThenTheAnswerIsTheSame() {
        ControlMessage first = ask(1);

        assertThat(first).isInstanceOf(ControlMessage.Opened.class);
        assertThat(ask(1)).isEqualTo(first);
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-07 a wish that comes again before it was answered is answered once")
    void whenTheWishComesAgainBeforeTheAnswerThenThereIsOneAnswer() {
        connection.onBytes(ByteBuffer.wrap(ControlCodec.encode(ControlRig.open(1, TOKEN))));
        connection.onBytes(ByteBuffer.wrap(ControlCodec.encode(ControlRig.open(1, TOKEN))));
        rig.turn();

        assertThat(wire.takeSent()).singleElement().isInstanceOf(ControlMessage.Opened.class);
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-07 after the session is gone its token makes no other one")
    void whenTheSessionIsGoneThenTheWishIsRefused() {
        ask(1);
        rig.say(connection, new ControlMessage.Close(1, "done"));

        assertRefused(ask(1));
        assertThat(rig.serverSessions()).isZero();
    }

    @Test
    @DisplayName("CP-07 after the token has expired it makes a new session")
    void whenTheTokenHasExpiredThenThereIsANewSession() {
        ControlMessage first = ask(1);
        rig.say(connection, new ControlMessage.Close(1, "done"));
        for (int second = 0; second < 31; second++) {
            rig.pass(Duration.ofSeconds(1));
            rig.say(connection, new ControlMessage.Heartbeat());
        }

        assertThat(ask(1)).isInstanceOf(ControlMessage.Opened.class).isNotEqualTo(first);
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-07 a token of another connection, or with another number, makes no session")
    void whenTheTokenIsReplayedElsewhereThenItIsRefused() {
        ask(1);
        MemoryWire other = new MemoryWire();
        ServerConnection stranger = rig.welcomed(other);
        rig.say(stranger, ControlRig.open(1, TOKEN));

        assertRefused(other.takeSent().getLast());
        assertRefused(ask(2));
        assertThat(rig.serverSessions()).isOne();
    }

    @Test
    @DisplayName("CP-08 answers that come late or twice make no second session and end none")
    void whenAnswersComeTwiceThenTheClientHasOneSession() {
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
