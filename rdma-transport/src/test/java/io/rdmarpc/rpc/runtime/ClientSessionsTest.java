package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.attributes.Gid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A client and the messages of a server about sessions, after the server's WELCOME. */
class ClientSessionsTest extends StrangeServerFixture {

    @ParameterizedTest
    @EnumSource(SessionRejectReason.class)
    @DisplayName("CP-09 FL-12 a rejected session: the server's reason arrives")
    void whenTheServerRejectsTheSessionThenTheReasonArrives(SessionRejectReason code) {
        serveSession((client, link) -> {
            int wanted = link;
            while (true) {
                client.send(new ControlMessage.Rejected(wanted, code, "these words"));
                wanted = client.await(ControlMessage.Open.class).link();
            }
        });

        expectRejection(code);
    }

    @Test
    @DisplayName("CP-16 a server that closes before, during and after its response about a session")
    void whenTheServerClosesDuringOpeningThenTheClientFails() {
        byte[] bytes = ControlCodec.encode(PlayedPeer.opened(1, 8, PlayedPeer.ENDPOINT));
        int[] length = {0};
        serveSession((client, link) -> client.send(bytes, length[0]++ % bytes.length));

        assertThat(connectFails(Duration.ofMillis(1_500))).isInstanceOf(RdmaUnavailableException.class);
    }

    @Test
    @DisplayName("CP-16 CP-15 a server that does not respond about a session")
    void whenTheServerIsSilentAboutTheSessionThenTheClientFails() {
        serveSession((client, link) -> client.awaitClosed("the client stays"));

        assertThat(connectFails(Duration.ofMillis(700)))
                .isInstanceOf(RdmaUnavailableException.class)
                .hasMessageContaining("the server did not respond within");
    }

    @Test
    @DisplayName("CP-08 a response that comes late, or twice, has no effect")
    void whenTheResponseComesLateThenItIsIgnored() {
        serveSession((client, link) -> {
            client.await(ControlMessage.Close.class);
            client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
            client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
            int next = client.await(ControlMessage.Open.class).link();
            client.send(PlayedPeer.opened(next, 8, PlayedPeer.ENDPOINT));
            client.send(PlayedPeer.opened(next, 4, PlayedPeer.ENDPOINT));
            client.send(new ControlMessage.Rejected(next, SessionRejectReason.CLOSING, "late"));
            client.awaitClosed("the client stays");
        });

        RpcSession session = channel.session(Duration.ofSeconds(5));

        assertThat(session.info().window()).isEqualTo(8);
        assertThat(session.isOpen()).isTrue();
    }

    static Stream<Arguments> invalidResponses() {
        return Stream.of(
                Arguments.of("no window", PlayedPeer.opened(1, 0, PlayedPeer.ENDPOINT)),
                Arguments.of("a wider window than requested", PlayedPeer.opened(1, 9, PlayedPeer.ENDPOINT)),
                Arguments.of("a session that was never requested", PlayedPeer.opened(7, 8, PlayedPeer.ENDPOINT)),
                Arguments.of("no address", PlayedPeer.opened(1, 8, new UdEndpoint(new Gid(0, 0), 9, 77, 1))),
                Arguments.of("a WELCOME", PlayedPeer.WELCOME),
                Arguments.of("a HELLO", PlayedPeer.HELLO),
                Arguments.of("an OPEN", PlayedPeer.open(1)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("invalidResponses")
    @DisplayName("CP-16 an invalid response about a session")
    void whenTheResponseIsInvalidThenTheClientFails(String what, ControlMessage response) {
        serveSession((client, link) -> {
            client.send(response);
            client.awaitClosed("the client stays");
        });

        assertThat(connectFails(Duration.ofMillis(200))).isInstanceOf(RdmaRpcException.class);
    }

    @Test
    @DisplayName("CP-16 a message that a server may not send in an open session ends it")
    void whenALiveServerViolatesTheProtocolThenTheSessionEnds() {
        ControlMessage[] wrong = {
            PlayedPeer.HELLO,
            PlayedPeer.WELCOME,
            PlayedPeer.open(1),
            PlayedPeer.opened(99, 8, PlayedPeer.ENDPOINT),
            new ControlMessage.RcReady(1),
            new ControlMessage.RcOffer(
                    1, new RcEndpoint(PlayedPeer.GID, 1, new RcEndpoint.Half(2, 3), new RcEndpoint.Half(2, 3), 4)),
            new ControlMessage.RcResponse(
                    1, new RcEndpoint(PlayedPeer.GID, 1, new RcEndpoint.Half(2, 3), new RcEndpoint.Half(2, 3), 4)),
            new ControlMessage.Rejection(SessionRejectReason.CLOSING, "no"),
            new ControlMessage.Verify(1, new ServiceContract("s", List.of(), List.of())),
            new ControlMessage.Close(1, "bye"),
            new ControlMessage.Goodbye("bye")
        };
        AtomicInteger round = new AtomicInteger();
        serveOpened((client, link) -> {
            client.send(wrong[round.getAndIncrement() % wrong.length]);
            while (client.read() instanceof ControlMessage.Open again) {
                client.send(PlayedPeer.opened(again.link(), 8, PlayedPeer.ENDPOINT));
                client.send(wrong[round.getAndIncrement() % wrong.length]);
            }
        });

        for (ControlMessage each : wrong) {
            RpcSession session = channel.session(LONG);
            Runtimes.await("the session to end after " + each, () -> !session.isOpen());
            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> Runtimes.get(Echo.call(session, 1, new byte[0], LONG)));
        }
    }

    @Test
    @DisplayName("CP-16 CP-11 sessions that end at once leave no resources behind")
    void whenServersComeAndGoThenNoResourceIsLeaked() throws Exception {
        BlockingQueue<PlayedPeer> servers = new LinkedBlockingQueue<>();
        serveOpened((client, link) -> {
            servers.add(client);
            while (true) {
                int next = client.await(ControlMessage.Open.class).link();
                client.send(PlayedPeer.opened(next, 8, PlayedPeer.ENDPOINT));
                servers.add(client);
            }
        });
        for (int i = 0; i < MANY; i++) {
            RpcSession session = channel.session(LONG);
            while (session.isOpen()) {
                PlayedPeer server = servers.poll(1, TimeUnit.MILLISECONDS);
                if (server != null) {
                    server.close();
                }
            }
        }
    }

    @Test
    @DisplayName("CP-08 verdicts and heartbeats that were not requested are ignored")
    void whenAVerdictWasNotRequestedThenTheSessionLives() {
        CompletableFuture<Void> sent = new CompletableFuture<>();
        serveOpened((client, link) -> {
            for (int i = 0; i < 10; i++) {
                client.send(new ControlMessage.Verdict(1_000 + i, "no"));
                client.send(new ControlMessage.Heartbeat());
            }
            sent.complete(null);
            int number = client.await(ControlMessage.Verify.class).number();
            client.send(new ControlMessage.Verdict(number, ""));
            client.awaitClosed("the client stays");
        });

        RpcSession session = channel.session(LONG);
        Runtimes.get(sent);
        channel.verify(session, Echo.CONTRACT);

        assertThat(session.isOpen()).isTrue();
    }

    @Test
    @DisplayName("FL-12 a server that does not respond about a contract: the client fails in time, with the reason")
    void whenTheServerDoesNotVerifyAContractThenTheClientFails() {
        serveOpened((client, link) -> client.awaitClosed("the client stays"));
        RpcSession session = channel.session(LONG);
        long start = System.nanoTime();

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> channel.verify(session, Echo.CONTRACT))
                .withMessageContaining("did not verify the contract of service test.Echo within 400 ms");

        assertThat(Runtimes.since(start)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    @DisplayName("FL-12 a server that disconnects during a verification: the client fails at once, with the reason")
    void whenTheServerDisconnectsDuringAVerificationThenTheClientGetsTheReason() {
        serveOpened((client, link) -> client.await(ControlMessage.Verify.class));
        RpcSession session = channel.session(LONG);

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> channel.verify(session, Echo.CONTRACT))
                .withMessageMatching("the contract of service test\\.Echo could not be verified with "
                        + "\\S+: the session ended: .*");
    }

    @Test
    @DisplayName("CP-04 FC-08 a client whose own receive ring has no free entry: back-pressure, at once")
    void whenTheOwnRingIsFullThenTheClientReportsBackpressure() {
        serveOpened((client, link) -> {
            while (true) {
                int next = client.await(ControlMessage.Open.class).link();
                client.send(PlayedPeer.opened(next, 8, PlayedPeer.ENDPOINT));
            }
        });
        List<RpcChannel> channels = new ArrayList<>();

        assertThatExceptionOfType(RdmaBackpressureException.class)
                .isThrownBy(() -> {
                    for (int i = 0; i < MANY; i++) {
                        channels.add(Runtimes.channel(calling, listener.getLocalPort()));
                        channels.getLast().session(LONG);
                    }
                })
                .withMessageContaining("Raise rdma.ud.receive-depth");

        channels.forEach(RpcChannel::close);
    }

    @Test
    @DisplayName("LT-12 a WELCOME that arrives after the channel was closed opens no session")
    void whenTheChannelClosesWhileItConnectsThenThereIsNoSession() throws InterruptedException {
        CompletableFuture<Void> hello = new CompletableFuture<>();
        CompletableFuture<Void> closed = new CompletableFuture<>();
        serveSession((client, link) -> {
            hello.complete(null);
            Runtimes.get(closed);
            client.send(PlayedPeer.opened(link, 8, PlayedPeer.ENDPOINT));
            client.awaitClosed("the client stays");
        });
        CompletableFuture<RdmaRpcException> end = new CompletableFuture<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            try {
                channel.session(LONG);
                end.complete(null);
            } catch (RdmaRpcException e) {
                end.complete(e);
            }
        });
        Runtimes.get(hello);
        channel.close();
        closed.complete(null);
        caller.join();

        assertThat(Runtimes.get(end)).isInstanceOf(RdmaUnavailableException.class);
    }
}
