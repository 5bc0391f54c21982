package io.rdmarpc.rpc.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.rpc.ControlConfig;
import io.rdmarpc.rpc.ControlSecurity;
import io.rdmarpc.rpc.ReconnectConfig;
import io.rdmarpc.rpc.RefusalCode;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.verbs.RdmaConfigurationException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("What a server takes")
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

    private static void assertRefused(MemoryWire wire, RefusalCode code, String setting) {
        assertThat(wire.takeSent().getLast()).isInstanceOfSatisfying(ControlMessage.Refused.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal.reason()).contains(setting);
        });
    }

    @Test
    @DisplayName("CP-04 sessions up to the limit, one more is refused with a code, three rounds")
    void whenTheSessionLimitIsReachedThenOneMoreIsRefused() {
        ControlRig rig = new ControlRig(limits(10, 10, 10, 1 << 20));
        for (int round = 0; round < 3; round++) {
            MemoryWire wire = from(2);
            ServerConnection client = rig.welcomed(wire);
            for (int link = 1; link <= 10; link++) {
                rig.say(client, ControlRig.open(link));
                assertThat(wire.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
            }
            rig.say(client, ControlRig.open(11));
            assertRefused(wire, RefusalCode.SESSION_LIMIT, "rdma.server.max-sessions");
            rig.say(client, new ControlMessage.Goodbye("done"));
            rig.pass(Duration.ofMillis(10));
        }
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-04 one host cannot take what is for all")
    void whenOneHostHasItsShareThenItIsRefusedAndOthersAreNot() {
        ControlRig rig = new ControlRig(limits(10, 2, 10, 1 << 20));
        MemoryWire greedy = from(2);
        ServerConnection first = rig.welcomed(greedy);
        rig.say(first, ControlRig.open(1));
        rig.say(first, ControlRig.open(2));
        rig.say(first, ControlRig.open(3));
        assertRefused(greedy, RefusalCode.PEER_SESSION_LIMIT, "rdma.server.max-sessions-per-peer");

        MemoryWire modest = from(3);
        rig.say(rig.welcomed(modest), ControlRig.open(1));
        assertThat(modest.takeSent().getLast()).isInstanceOf(ControlMessage.Opened.class);
    }

    @Test
    @DisplayName("CP-04 connections that do not finish their handshake are limited, and given up in time")
    void whenTooManyHandshakesArePendingThenOneMoreIsRefused() {
        ControlRig rig = new ControlRig(limits(10, 10, 2, 1 << 20));
        List<MemoryWire> pending = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            pending.add(from(2 + i));
            rig.accept(pending.getLast());
        }
        MemoryWire refused = from(5);
        rig.accept(refused);
        assertThat(refused.takeSent()).singleElement().isInstanceOfSatisfying(ControlMessage.Refusal.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(RefusalCode.HANDSHAKE_LIMIT);
            assertThat(refusal.reason()).contains("rdma.server.max-pending-handshakes");
        });
        assertThat(refused.isClosed()).isTrue();

        rig.pass(Duration.ofSeconds(5));
        assertThat(pending).allMatch(MemoryWire::isClosed);
        rig.welcomed(from(6));
    }

    @Test
    @DisplayName("CP-04 a host that has all lent to it that it may have gets no more sessions")
    void whenOneHostHasItsMemoryThenItIsRefused() {
        ControlRig rig = new ControlRig(limits(10, 10, 10, 1 << 16));
        MemoryWire wire = from(2);
        ServerConnection client = rig.welcomed(wire);
        rig.say(client, ControlRig.open(1));
        wire.takeSent();
        LendingPool pool = new LendingPool(
                rig.nic.allocateProtectionDomain(), client.account().budget(), Runnable::run);
        pool.allocate(1 << 16);

        rig.say(client, ControlRig.open(2));
        assertRefused(wire, RefusalCode.PEER_BYTES_LIMIT, "rdma.server.max-bytes-per-peer");
    }

    @Test
    @DisplayName("CP-10 CP-11 a NIC that refuses: the session is refused, nothing is left")
    void whenTheNicRefusesThenTheSessionIsRefused() {
        ControlRig rig = new ControlRig();
        MemoryWire wire = from(2);
        ServerConnection client = rig.welcomed(wire);
        rig.nic.refuseHandles(true);
        rig.say(client, ControlRig.open(1));

        assertThat(wire.takeSent().getLast())
                .isInstanceOfSatisfying(
                        ControlMessage.Refused.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(RefusalCode.INTERNAL));
        client.onWireEnd("closed");
        rig.assertNothingLeft();
    }

    @Test
    @DisplayName("CP-20 limits that cannot be are refused with the setting's name")
    void whenALimitCannotBeThenItsSettingIsNamed() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> limits(0, 1, 1, 1 << 16))
                .withMessageContaining("server.max-sessions");
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> limits(1, 1, 1, 1))
                .withMessageContaining("server.max-bytes-per-peer");
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new ReconnectConfig(
                        true, Duration.ofSeconds(1), Duration.ofMillis(1), Duration.ofSeconds(1), false))
                .withMessageContaining("reconnect.longest-pause");
    }
}
