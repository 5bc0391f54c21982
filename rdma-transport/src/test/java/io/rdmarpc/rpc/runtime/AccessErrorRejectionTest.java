package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client that guesses keys of the server's memory. */
@Timeout(120)
class AccessErrorRejectionTest {

    private static final int GUESSES = 3;

    private static void guess(PlayedEngine engine, PlayedPeer peer, int link) throws IOException {
        peer.exchange(PlayedPeer.open(link, engine.endpoint(), 8, PathMtu.MTU_1024, 1 << 20));
        RcConnection connection = engine.prepare();
        ControlMessage.RcResponse response =
                (ControlMessage.RcResponse) peer.exchange(new ControlMessage.RcOffer(link, connection.endpoint()));
        PlayedEngine.complete(connection, response.endpoint());
        peer.send(new ControlMessage.RcReady(link));
        assertThat(engine.read(connection, 0x1000, 0x1234_5678 + link, 8).status())
                .isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        if (link < GUESSES) {
            assertThat(peer.await(ControlMessage.Close.class).reason()).contains("not lent to it");
        }
    }

    @Test
    @DisplayName("after a few guesses all its sessions and its connection end, and its address is rejected")
    void whenAClientGuessesKeysThenItIsRejected() throws Exception {
        try (RdmaRuntime serving = Runtimes.open(SoftLink.UDP.options());
                PlayedEngine engine = new PlayedEngine(SoftLink.UDP)) {
            RpcServer server = Runtimes.listen(serving);
            int port = server.address().getPort();
            try (PlayedPeer peer = PlayedPeer.welcomed(port)) {
                for (int link = 1; link <= GUESSES; link++) {
                    guess(engine, peer, link);
                }
                assertThat(peer.await(ControlMessage.Goodbye.class).reason()).contains("not lent to it, 3 times");
            }
            assertThat(serving.accessErrors()).isEqualTo(GUESSES);
            try (PlayedPeer again = PlayedPeer.connect(port)) {
                assertThat(again.exchange(PlayedPeer.HELLO))
                        .isInstanceOfSatisfying(
                                ControlMessage.Rejection.class,
                                rejection ->
                                        assertThat(rejection.reason()).isEqualTo(SessionRejectReason.ACCESS_ERRORS));
            }
            Runtimes.await("all sessions to end", () -> serving.statistics().serverSessions() == 0);
            assertThat(serving.rejections()).containsEntry(SessionRejectReason.ACCESS_ERRORS, 1L);
        }
    }
}
