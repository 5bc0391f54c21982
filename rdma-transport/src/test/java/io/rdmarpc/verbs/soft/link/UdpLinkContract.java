package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.attributes.Gid;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The contract of a UDP link with any sockets. */
@Timeout(60)
abstract class UdpLinkContract extends LinkContract {

    abstract Supplier<UdpSockets> kind();

    @Override
    protected final UdpLink open(List<InetAddress> addresses, int port) throws IOException {
        return UdpLink.open(addresses, port, kind());
    }

    @Test
    void shouldReachLinkLocalPeersThroughTheLocalInterface() throws IOException {
        InetAddress own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(InetAddress::isLinkLocalAddress)
                .filter(address -> address instanceof java.net.Inet6Address)
                .findFirst()
                .orElse(null);
        org.junit.jupiter.api.Assumptions.assumeTrue(own != null, "there is no link-local address");
        try (UdpLink a = open(List.of(own), 0);
                UdpLink b = open(List.of(own), 0)) {
            LinkAddress peer = a.resolve(0, Gid.of(own), b.port(), 0, 0);
            a.send(0, peer, packet(64, 1));
            a.flush();
            assertThat(take(b, 1).getFirst().source()).isEqualTo(Gid.of(own));
        }
    }

    @Test
    void whenOnePeerCannotBeReachedThenOnlyItsPacketsAreLost() throws IOException {
        try (UdpLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                UdpLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
            // No packet from 127.0.0.1 leaves the host, and the kernel reports an error.
            LinkAddress outside = LinkAddress.of(Gid.of(InetAddress.ofLiteral("255.255.255.255")), 5000, 0);
            a.send(0, to(b, "127.0.0.1"), packet(40, 1));
            a.send(0, outside, packet(40, 2));
            a.send(0, to(b, "127.0.0.1"), packet(40, 3));
            a.flush();
            assertThat(take(b, 2).stream().map(Arrived::bytes))
                    .containsExactly(bytes(packet(40, 1)), bytes(packet(40, 3)));
            assertThat(a.sendFailures()).isEqualTo(1);
        }
    }

    @Test
    void whenFlowsDifferThenSourcePortsDifferAndAreKnownBeforeSending() throws IOException {
        try (UdpLink a = open(TWO_ADDRESSES, 0);
                UdpLink b = open(TWO_ADDRESSES, 0)) {
            Set<Integer> ports = new HashSet<>();
            for (int flow = 0; flow < 8; flow++) {
                LinkAddress peer = a.resolve(1, Gid.of(TWO_ADDRESSES.getFirst()), b.port(), 0, flow);
                a.send(1, peer, packet(32, flow));
                a.flush();
                Arrived arrived = take(b, 1).getFirst();
                assertThat(arrived.source()).isEqualTo(Gid.of(TWO_ADDRESSES.get(1)));
                assertThat(arrived.sourcePort()).isEqualTo(peer.sourcePort());
                ports.add(peer.sourcePort());
            }
            assertThat(ports).hasSize(4);
        }
    }

    @Test
    void shouldSendWithTheRequestedTrafficClass() throws IOException {
        assertThat(UdpHeaders.trafficClass(kind(), TWO_ADDRESSES.getFirst(), 0xB8))
                .isEqualTo(0xB8);
        assertThat(UdpHeaders.trafficClass(kind(), InetAddress.ofLiteral("::1"), 0x88))
                .isEqualTo(0x88);
        assertThat(UdpHeaders.trafficClass(kind(), TWO_ADDRESSES.getFirst(), 0)).isZero();
    }

    @Test
    void whenPortIsInUseThenFailsAndLeavesNoSocketOpen() throws IOException {
        try (UdpLink taken = open(TWO_ADDRESSES.subList(1, 2), 0)) {
            assertThatExceptionOfType(BindException.class).isThrownBy(() -> open(TWO_ADDRESSES, taken.port()));
            open(TWO_ADDRESSES.subList(0, 1), taken.port()).close();
        }
    }

    @Test
    void whenAddressIsNotOfThisHostThenFails() {
        assertThatExceptionOfType(BindException.class)
                .isThrownBy(() -> open(List.of(InetAddress.ofLiteral("203.0.113.7")), 0));
    }

    @Test
    void whenClosedThenSendsAndPollsAreFailures() throws IOException {
        UdpLink link = open(TWO_ADDRESSES, 0);
        LinkAddress self = to(link, "127.0.0.1");
        link.close();
        assertThat(link.send(0, self, packet(32, 0))).isTrue();
        link.flush();
        assertThat(link.poll(8, (_, _, _, _, _) -> {})).isZero();
        assertThat(link.sendFailures()).isEqualTo(1);
        assertThat(link.receiveFailures()).isEqualTo(2);
        link.close();
    }
}
