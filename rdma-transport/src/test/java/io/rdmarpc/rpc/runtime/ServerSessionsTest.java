package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.IOException;
import java.net.Inet4Address;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A server and the messages of a client about sessions, after the handshake. */
class ServerSessionsTest extends StrangeClientFixture {

    @Test
    @DisplayName("CP-02 a request for a session is granted with the parameters that both sides support")
    void whenTheRequestIsValidThenItIsGranted() throws IOException {
        ControlMessage.Welcome welcome = (ControlMessage.Welcome) exchange(PlayedPeer.HELLO);
        ControlMessage.Opened opened = (ControlMessage.Opened)
                exchangeLive(PlayedPeer.open(5, PlayedPeer.ENDPOINT, 3, PathMtu.MTU_512, 123_456));

        assertThat(welcome.version()).isEqualTo(ControlCodec.VERSION);
        assertThat(opened.link()).isEqualTo(5);
        assertThat(opened.window()).isEqualTo(3);
        assertThat(opened.mtu()).isEqualTo(PathMtu.MTU_512);
        assertThat(opened.maxMessageBytes()).isEqualTo(123_456);
        assertThat(opened.endpoint().gid()).isEqualTo(PlayedPeer.GID);
        assertThat(opened.endpoint().qkey()).as("top bit 0").isPositive();
    }

    @Test
    @DisplayName("CP-02 SM-04 several sessions on one connection: each has its own number and cookie")
    void whenSessionsShareAConnectionThenEachHasItsOwnCookie() throws IOException {
        try (PlayedPeer client = PlayedPeer.welcomed(port())) {
            ControlMessage.Opened first = (ControlMessage.Opened) client.exchange(PlayedPeer.open(1));
            ControlMessage.Opened second = (ControlMessage.Opened) client.exchange(PlayedPeer.open(2));

            assertThat(first.cookie()).isNotEqualTo(second.cookie());
            assertThat(first.session()).isNotEqualTo(second.session());
            assertThat(second.link()).isEqualTo(2);
            assertThat(serving.statistics().serverSessions()).isEqualTo(3);
        }
    }

    @Test
    @DisplayName("CP-02 cookies are not repeated")
    void whenTwoClientsConnectThenTheirCookiesDiffer() throws IOException {
        ControlMessage.Opened first = (ControlMessage.Opened) exchangeLive(PlayedPeer.open(1));
        ControlMessage.Opened second = (ControlMessage.Opened) exchangeLive(PlayedPeer.open(1));

        assertThat(first.cookie()).isNotEqualTo(second.cookie());
    }

    @Test
    @DisplayName("CP-12 a session that is closed twice is closed once; the connection continues")
    void whenASessionIsClosedTwiceThenTheConnectionContinues() throws IOException {
        try (PlayedPeer client = PlayedPeer.welcomed(port())) {
            client.exchange(PlayedPeer.open(1));
            client.send(new ControlMessage.Close(1, "done"));
            client.send(new ControlMessage.Close(1, "done"));
            client.send(new ControlMessage.Close(77, "never opened"));

            assertThat(client.exchange(PlayedPeer.open(2))).isInstanceOf(ControlMessage.Opened.class);
        }
    }

    @Test
    @DisplayName("CP-10 a client on another provider that cannot reach this one is rejected with a reason")
    void whenTheProviderDiffersThenTheClientIsRejected() throws IOException {
        ControlMessage response = exchangeLive(new ControlMessage.Open(
                1, Id128.random(), "ibverbs", PlayedPeer.ENDPOINT, 0, 8, PathMtu.MTU_4096, 1 << 20, false));

        assertThat(response).isInstanceOfSatisfying(ControlMessage.Rejected.class, rejection -> {
            assertThat(rejection.reason()).isEqualTo(SessionRejectReason.PROVIDER);
            assertThat(rejection.detail())
                    .startsWith("the server runs on soft (soft0), the client on ibverbs: ")
                    .endsWith("set rdma.provider to the same on both sides");
        });
    }

    @Test
    @DisplayName("CP-16 CP-11 a client that disconnects at once releases all its resources")
    void whenManyClientsConnectAndDisconnectThenNoResourceIsLeaked() throws IOException {
        for (int i = 0; i < MANY; i++) {
            assertThat(exchangeLive(PlayedPeer.open(1))).as("client %d", i).isInstanceOf(ControlMessage.Opened.class);
            if (i % 50 == 0) {
                Runtimes.await("sessions to end", () -> serving.statistics().serverSessions() == 1);
            }
        }
    }

    static Stream<ControlMessage> notAllowedLater() {
        return Stream.of(
                PlayedPeer.HELLO,
                new ControlMessage.Verdict(1, ""),
                PlayedPeer.open(1),
                PlayedPeer.opened(1, 8, PlayedPeer.ENDPOINT),
                new ControlMessage.RcWanted(1),
                new ControlMessage.RcWanted(2),
                new ControlMessage.RcResponse(
                        1, new RcEndpoint(PlayedPeer.GID, 1, new RcEndpoint.Half(2, 3), new RcEndpoint.Half(2, 3), 4)),
                new ControlMessage.Rejected(1, SessionRejectReason.CLOSING, "no"),
                new ControlMessage.Rejection(SessionRejectReason.CLOSING, "no"));
    }

    @ParameterizedTest
    @MethodSource("notAllowedLater")
    @DisplayName("CP-16 a message that a client may not send on a live connection ends it, with a reason")
    void whenALiveClientViolatesTheProtocolThenItsConnectionEnds(ControlMessage message) throws IOException {
        try (PlayedPeer client = PlayedPeer.welcomed(port())) {
            assertThat(client.exchange(PlayedPeer.open(1))).isInstanceOf(ControlMessage.Opened.class);

            assertThat(client.exchange(message))
                    .isInstanceOfSatisfying(
                            ControlMessage.Goodbye.class,
                            goodbye -> assertThat(goodbye.reason()).startsWith("a client may not"));
            client.awaitClosed("a client that sent " + message + " stays connected");
        }
    }

    static Stream<List<ControlMessage>> wrongConnections() {
        ControlMessage good = new ControlMessage.RcOffer(
                1, new RcEndpoint(PlayedPeer.GID, 9, new RcEndpoint.Half(55, 3), new RcEndpoint.Half(55, 3), 4));
        return Stream.of(
                List.of(new ControlMessage.RcReady(1)),
                List.of(new ControlMessage.RcOffer(
                        1,
                        new RcEndpoint(
                                PlayedPeer.GID, 1, new RcEndpoint.Half(-1, -1), new RcEndpoint.Half(-1, -1), 0))),
                List.of(new ControlMessage.RcOffer(
                        1,
                        new RcEndpoint(
                                Gid.of(Inet4Address.ofLiteral("127.0.0.77")),
                                9,
                                new RcEndpoint.Half(55, 3),
                                new RcEndpoint.Half(55, 3),
                                4))),
                List.of(new ControlMessage.RcOffer(
                        1,
                        new RcEndpoint(PlayedPeer.GID, 10, new RcEndpoint.Half(55, 3), new RcEndpoint.Half(55, 3), 4))),
                List.of(good, good));
    }

    @ParameterizedTest
    @MethodSource("wrongConnections")
    @DisplayName("CP-16 FL-11 an invalid reliable connection ends its session, the others live")
    void whenAReliableConnectionIsWrongThenItsSessionEnds(List<ControlMessage> messages) throws IOException {
        try (PlayedPeer client = PlayedPeer.welcomed(port())) {
            client.exchange(PlayedPeer.open(1));
            client.exchange(PlayedPeer.open(2));
            for (ControlMessage message : messages) {
                client.send(message);
            }

            ControlMessage response = client.read();
            if (response instanceof ControlMessage.RcResponse) {
                response = client.read();
            }
            assertThat(response).isInstanceOfSatisfying(ControlMessage.Close.class, close -> {
                assertThat(close.link()).isOne();
                assertThat(close.reason()).startsWith("no reliable connection: ");
            });
            assertThat(client.exchange(PlayedPeer.open(3))).isInstanceOf(ControlMessage.Opened.class);
            assertThat(serving.statistics().serverSessions()).isEqualTo(3);
        }
    }

    static Stream<Arguments> unusualRequests() {
        Gid nowhere = new Gid(0, 0);
        UdEndpoint usual = PlayedPeer.ENDPOINT;
        return Stream.of(
                Arguments.of("no window", usual, 0, 1 << 20),
                Arguments.of("the largest window", usual, 0xFFFF, 1 << 20),
                Arguments.of("no messages", usual, 8, 0),
                Arguments.of("negative messages", usual, 8, -1),
                Arguments.of("no address", new UdEndpoint(nowhere, 9, 77, 1), 8, 1 << 20),
                Arguments.of("odd numbers", new UdEndpoint(PlayedPeer.GID, 0xFFFF, -1, -1), 8, 1 << 20),
                Arguments.of("another network", new UdEndpoint(new Gid(-1, -1), 9, 77, 1), 8, 1 << 20));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("unusualRequests")
    @DisplayName("CP-16 requests with unusual numbers are granted or rejected, and leave nothing behind")
    void whenTheNumbersAreUnusualThenTheServerResponds(String what, UdEndpoint endpoint, int window, int max)
            throws IOException {
        try (PlayedPeer client = PlayedPeer.welcomed(port())) {
            for (int i = 1; i <= 10; i++) {
                assertThat(client.exchange(PlayedPeer.open(i, endpoint, window, PathMtu.MTU_256, max)))
                        .isInstanceOfAny(ControlMessage.Opened.class, ControlMessage.Rejected.class);
            }
        }
    }

    @Test
    @DisplayName("CP-04 CP-11 more sessions than one client may have of the ring: rejected; later there is room")
    void whenAClientHasItsShareOfTheRingThenItIsRejected() throws IOException {
        for (int round = 0; round < 3; round++) {
            try (PlayedPeer client = PlayedPeer.welcomed(port())) {
                ControlMessage last = null;
                for (int i = 1; i < MANY && !(last instanceof ControlMessage.Rejected); i++) {
                    last = client.exchange(PlayedPeer.open(i));
                }
                assertThat(last).isInstanceOfSatisfying(ControlMessage.Rejected.class, rejection -> {
                    assertThat(rejection.reason()).isEqualTo(SessionRejectReason.PEER_SESSION_LIMIT);
                    assertThat(rejection.detail())
                            .contains("each session owns an entry", "Raise rdma.ud.receive-depth there");
                });
            }
            Runtimes.await("sessions to end", () -> serving.statistics().serverSessions() == 1);
        }
    }
}
