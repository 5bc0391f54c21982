package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaRejectedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Servers that may misbehave, and a client. */
abstract class StrangeServerFixture extends HandshakeFixture {

    RpcChannel channel;
    ServerSocket listener;

    @BeforeEach
    void listen() throws IOException {
        listener = new ServerSocket(0, 50, Runtimes.LOOPBACK);
        channel = Runtimes.channel(calling, listener.getLocalPort());
        assertThat(channel.isConnected()).isFalse();
    }

    @AfterEach
    void hangUp() throws IOException {
        channel.close();
        listener.close();
    }

    /** Serves every client in the same way until the listener is closed. */
    void serve(StrangeServer server) {
        Thread.ofVirtual().start(() -> {
            while (!listener.isClosed()) {
                try {
                    PlayedPeer client = new PlayedPeer(listener.accept());
                    Thread.ofVirtual().start(() -> {
                        try (client) {
                            server.serve(client);
                        } catch (IOException e) {
                            // The client has disconnected.
                        }
                    });
                } catch (IOException e) {
                    return;
                }
            }
        });
    }

    /** The behavior of a misbehaving server. */
    interface StrangeServer {
        void serve(PlayedPeer client) throws IOException;
    }

    /** The behavior of a misbehaving server in its first session. */
    interface StrangeSession {
        void serve(PlayedPeer client, int link) throws IOException;
    }

    /** Responds to HELLO. */
    void serveHello(ControlMessage response, boolean thenClose) {
        serve(client -> {
            client.read();
            client.send(response);
            if (!thenClose) {
                client.awaitClosed("the client stays");
            }
        });
    }

    /** Responds to HELLO correctly and misbehaves afterwards. */
    void serveSession(StrangeSession server) {
        serve(client -> {
            client.read();
            client.send(PlayedPeer.WELCOME);
            server.serve(client, client.await(ControlMessage.Open.class).link());
        });
    }

    void serveOpened(StrangeSession server) {
        serveSession((client, link) -> {
            client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
            server.serve(client, link);
        });
    }

    RdmaRpcException connectFails(Duration timeout) {
        long start = System.nanoTime();
        RdmaRpcException[] failure = new RdmaRpcException[1];
        assertThatExceptionOfType(RdmaRpcException.class)
                .isThrownBy(() -> channel.session(timeout))
                .satisfies(e -> failure[0] = e);
        assertThat(Runtimes.since(start)).isLessThan(timeout.plusSeconds(5));
        assertThat(channel.isConnected()).isFalse();
        return failure[0];
    }

    void expectRejection(SessionRejectReason code) {
        RdmaRpcException failure = connectFails(Duration.ofSeconds(1));

        assertThat(failure).hasMessageContaining("the server rejects the session: these words");
        switch (code) {
            case VERSION, PROVIDER -> assertThat(failure).isInstanceOf(RdmaContractException.class);
            case UNAUTHENTICATED -> assertThat(failure).isInstanceOf(RdmaRejectedException.class);
            default ->
                assertThat(failure)
                        .isInstanceOf(RdmaUnavailableException.class)
                        .rootCause()
                        .isInstanceOfSatisfying(
                                RdmaRejectedException.class,
                                rejection -> assertThat(rejection.reason()).isEqualTo(code));
        }
    }
}
