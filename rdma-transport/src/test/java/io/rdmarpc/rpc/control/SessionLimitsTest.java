package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.memory.RdmaMemoryExhaustedException;
import io.rdmarpc.rpc.config.ControlConfig;
import io.rdmarpc.rpc.config.ControlSecurity;
import io.rdmarpc.rpc.config.ReconnectConfig;
import io.rdmarpc.rpc.control.limit.ReceiveBudget;
import io.rdmarpc.rpc.error.SessionRejectReason;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The limits of a server")
class SessionLimitsTest {

    private static ControlConfig limits(int sessions, int perPeer, int handshakes, long bytes) {
        return new ControlConfig(
                sessions,
                perPeer,
                handshakes,
                bytes,
                Duration.ZERO,
                Duration.ofSeconds(1),
                ReconnectConfig.DEFAULTS,
                ControlSecurity.NONE);
    }

    private static MemoryWire from(int host) {
        return new MemoryWire(new InetSocketAddress(Inet4Address.ofLiteral("10.0.0." + host), 7000));
    }

    private static void assertRejected(MemoryWire wire, SessionRejectReason code, String setting) {
        assertThat(wire.takeSent().getLast()).isInstanceOfSatisfying(ControlMessage.Rejected.class, rejection -> {
            assertThat(rejection.reason()).isEqualTo(code);
            assertThat(rejection.detail()).contains(setting);
        });
    }

    @Test
    @DisplayName("CP-04 sessions up to the limit, one more is rejected with a code, three rounds")
    void whenTheSessionLimitIsReachedThenOneMoreIsRejected() {
        ControlRig rig = new ControlRig(limits(10, 10, 10, 1 << 20));
        for (int round = 0; round < 3; round++) {
            MemoryWire wire = from(2);
            ServerConnection client = rig.welcomed(wire);
            for (int link = 1; link <= 10; link++) {
                rig.say(client, ControlRig.open(link));
                assertThat(wire.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
            }
            rig.say(client, ControlRig.open(11));
            assertRejected(wire, SessionRejectReason.SESSION_LIMIT, "rdma.server.max-sessions");
            rig.say(client, new ControlMessage.Goodbye("done"));
            rig.pass(Duration.ofMillis(10));
        }
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-04 one host cannot use up the sessions of all hosts")
    void whenOneHostHasItsShareThenItIsRejectedAndOthersAreNot() {
        ControlRig rig = new ControlRig(limits(10, 2, 10, 1 << 20));
        MemoryWire greedy = from(2);
        ServerConnection first = rig.welcomed(greedy);
        rig.say(first, ControlRig.open(1));
        rig.say(first, ControlRig.open(2));
        rig.say(first, ControlRig.open(3));
        assertRejected(greedy, SessionRejectReason.PEER_SESSION_LIMIT, "rdma.server.max-sessions-per-peer");

        MemoryWire modest = from(3);
        rig.say(rig.welcomed(modest), ControlRig.open(1));
        assertThat(modest.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
    }

    @Test
    @DisplayName("CP-04 a peer without a limit by settings has at most half of the ring, others have half of the rest")
    void whenNoSettingLimitsAPeerThenItHasHalfOfWhatOthersLeaveFree() {
        ControlRig rig = new ControlRig();
        int share = (ControlRig.RING - ReceiveBudget.SPARE) / 2;
        MemoryWire greedy = from(2);
        assertThat(openAll(rig, greedy)).as("one client").isEqualTo(share / 2);
        assertRejected(greedy, SessionRejectReason.PEER_SESSION_LIMIT, "rdma.server.max-sessions-per-peer");

        int ofOneHost = share / 2;
        for (int opened = 1; opened > 0; ofOneHost += opened) {
            opened = openAll(rig, from(2));
        }
        assertThat(ofOneHost).as("all clients of one host").isEqualTo(share);

        MemoryWire another = from(3);
        assertThat(openAll(rig, another)).as("a client of another host").isBetween(share / 4, share / 4 + 1);
        assertRejected(another, SessionRejectReason.PEER_SESSION_LIMIT, "rdma.ud.receive-depth");

        MemoryWire modest = from(4);
        rig.say(rig.welcomed(modest), ControlRig.open(1));
        assertThat(modest.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
    }

    /** Opens sessions on one connection until one is rejected. */
    private static int openAll(ControlRig rig, MemoryWire wire) {
        ServerConnection client = rig.welcomed(wire);
        int opened = -1;
        do {
            opened++;
            wire.takeSent();
            rig.say(client, ControlRig.open(opened + 1));
        } while (wire.sent().getLast() instanceof ControlMessage.Opened);
        return opened;
    }

    @Test
    @DisplayName("CP-04 a peer is identified by its certificate, at all its addresses")
    void whenAPeerHasACertificateThenItsSessionsCountTogether() {
        ControlRig rig = new ControlRig(limits(10, 2, 10, 1 << 20));
        for (int host = 2; host < 4; host++) {
            MemoryWire wire = from(host);
            wire.certificates = List.of(new NamedCertificate("CN=greedy"));
            rig.say(rig.welcomed(wire), ControlRig.open(1));
            assertThat(wire.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
        }
        MemoryWire third = from(4);
        third.certificates = List.of(new NamedCertificate("CN=greedy"));
        rig.say(rig.accept(third), ControlRig.hello());
        assertThat(third.takeSent())
                .singleElement()
                .isInstanceOfSatisfying(ControlMessage.Rejection.class, rejection -> {
                    assertThat(rejection.reason()).isEqualTo(SessionRejectReason.PEER_SESSION_LIMIT);
                    assertThat(rejection.detail()).contains("rdma.server.max-sessions-per-peer");
                });

        MemoryWire other = from(4);
        other.certificates = List.of(new NamedCertificate("CN=modest"));
        rig.say(rig.welcomed(other), ControlRig.open(1));
        assertThat(other.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
    }

    @Test
    @DisplayName("CP-04 if too many handshakes are pending, the oldest one of the largest source is closed")
    void whenTooManyHandshakesArePendingThenTheOldestOfTheLargestSourceIsClosed() {
        ControlRig rig = new ControlRig(limits(10, 10, 4, 1 << 20));
        MemoryWire modest = from(9);
        rig.accept(modest);
        List<MemoryWire> silent = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            silent.add(from(2));
            rig.accept(silent.getLast());
        }
        assertThat(silent).noneMatch(MemoryWire::isClosed);

        MemoryWire another = from(2);
        rig.accept(another);
        MemoryWire displaced = silent.getFirst();
        assertThat(displaced.takeSent())
                .singleElement()
                .isInstanceOfSatisfying(ControlMessage.Rejection.class, rejection -> {
                    assertThat(rejection.reason()).isEqualTo(SessionRejectReason.HANDSHAKE_LIMIT);
                    assertThat(rejection.detail()).contains("rdma.server.max-pending-handshakes");
                });
        assertThat(displaced.isClosed()).isTrue();
        assertThat(silent.get(1).isClosed()).isFalse();

        rig.accept(from(3));
        rig.accept(from(4));
        assertThat(silent.get(1).isClosed()).isTrue();
        assertThat(modest.isClosed()).isFalse();
        assertThat(another.isClosed()).isFalse();
        assertThat(rig.context.handshakes.count()).isEqualTo(4);
    }

    @Test
    @DisplayName("CP-04 despite repeated silent connections of one address, its clients and those of others connect")
    void whenOneAddressKeepsConnectingInSilenceThenClientsConnect() {
        ControlRig rig = new ControlRig(limits(10, 10, 100, 1 << 20));
        for (int client = 0; client < 10; client++) {
            for (int i = 0; i < 300; i++) {
                rig.accept(from(2));
            }
            rig.say(rig.welcomed(from(3)), new ControlMessage.Goodbye("done"));
            ServerConnection same = rig.accept(from(2));
            for (int i = 0; i < 40; i++) {
                rig.accept(from(2));
            }
            rig.say(same, ControlRig.hello());
            assertThat(same.isLive()).isTrue();
            rig.say(same, new ControlMessage.Goodbye("done"));
        }
        assertThat(rig.context.handshakes.count()).isBetween(49, 50);
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-04 one host may use all addresses of its IPv6 network")
    void whenSilentConnectionsComeFromOneNetworkThenTheyCountTogether() {
        ControlRig rig = new ControlRig(limits(10, 10, 4, 1 << 20));
        List<MemoryWire> silent = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            silent.add(new MemoryWire(new InetSocketAddress(InetAddress.ofLiteral("2001:db8:0:1::" + i), 7000)));
            rig.accept(silent.getLast());
        }
        rig.accept(new MemoryWire(new InetSocketAddress(InetAddress.ofLiteral("2001:db8:0:2::1"), 7000)));

        assertThat(silent).extracting(MemoryWire::isClosed).containsExactly(true, false, false);
    }

    @Test
    @DisplayName("CP-04 a silent client is disconnected soon, one with an unfinished handshake after its time limit")
    void whenAHandshakeIsNotFinishedThenItIsEndedInTime() {
        ControlRig rig = new ControlRig();
        MemoryWire silent = from(2);
        rig.accept(silent);
        MemoryWire slow = from(3);
        slow.received = true;
        rig.accept(slow);

        rig.pass(ServerConnection.FIRST_BYTE_LIMIT.minusMillis(1));
        assertThat(silent.isClosed()).isFalse();
        rig.pass(Duration.ofMillis(1));
        assertThat(silent.isClosed()).isTrue();
        assertThat(slow.isClosed()).isFalse();
        rig.pass(Duration.ofSeconds(3));
        assertThat(slow.isClosed()).isTrue();
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-04 a host with its maximum of lent memory gets no more sessions")
    void whenOneHostHasItsMemoryThenItIsRejected() {
        ControlRig rig = new ControlRig(limits(10, 10, 10, 1 << 16));
        MemoryWire wire = from(2);
        ServerConnection client = rig.welcomed(wire);
        rig.say(client, ControlRig.open(1));
        wire.takeSent();
        LendingPool pool = new LendingPool(
                rig.nic.allocateProtectionDomain(), client.account().budget(), Runnable::run);
        pool.allocate(1 << 16);

        rig.say(client, ControlRig.open(2));
        assertRejected(wire, SessionRejectReason.PEER_BYTES_LIMIT, "rdma.server.max-lent-per-peer");
    }

    @Test
    @DisplayName("CP-04 a peer without a limit by settings has at most half of the memory; another peer gets a session")
    void whenNoSettingLimitsAPeersMemoryThenItHasHalfOfWhatOthersLeaveFree() {
        ControlRig rig = new ControlRig();
        MemoryWire wire = from(2);
        ServerConnection client = rig.welcomed(wire);
        rig.say(client, ControlRig.open(1));
        wire.takeSent();
        LendingPool pool = new LendingPool(
                rig.nic.allocateProtectionDomain(), client.account().budget(), Runnable::run);
        int half = (int) client.account().budget().limitBytes();
        assertThat(half).isBetween(1 << 20, 32 << 20);
        assertThatExceptionOfType(RdmaMemoryExhaustedException.class)
                .isThrownBy(() -> {
                    while (true) {
                        pool.allocate(1 << 20);
                    }
                })
                .withMessageContaining("rdma.server.max-lent-per-peer");
        assertThat(client.account().budget().registeredBytes()).isBetween((long) half - (1 << 20), (long) half);

        ServerConnection other = rig.welcomed(from(3));
        assertThat(other.account().budget().limitBytes()).isBetween((long) half / 2, (long) half / 2 + (1 << 20));
        assertThat(other.account().hasTooManyBytes()).isFalse();
    }

    @Test
    @DisplayName("CP-10 CP-11 a failing NIC: the session is rejected, nothing is left")
    void whenTheNicFailsThenTheSessionIsRejected() {
        ControlRig rig = new ControlRig();
        MemoryWire wire = from(2);
        ServerConnection client = rig.welcomed(wire);
        rig.nic.rejectHandles(true);
        rig.say(client, ControlRig.open(1));

        assertThat(wire.takeSent().getLast())
                .isInstanceOfSatisfying(
                        ControlMessage.Rejected.class,
                        rejection -> assertThat(rejection.reason()).isEqualTo(SessionRejectReason.INTERNAL));
        client.onWireEnd("closed");
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-20 invalid limits are rejected with the setting's name")
    void whenALimitIsInvalidThenItsSettingIsNamed() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> limits(0, 1, 1, 1 << 16))
                .withMessageContaining("server.max-sessions");
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> limits(1, 1, 1, 1))
                .withMessageContaining("server.max-lent-per-peer");
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new ReconnectConfig(
                        true, Duration.ofSeconds(1), Duration.ofMillis(1), Duration.ofSeconds(1), false))
                .withMessageContaining("reconnect.max-interval");
    }
}
