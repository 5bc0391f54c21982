package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a link over UDP does, whatever its sockets are. */
@Timeout(60)
abstract class UdpLinkContract {

    private static final List<InetAddress> TWO_ADDRESSES =
            List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2"));
    private static final int LARGEST = 4096 + 60;

    abstract Supplier<UdpSockets> kind();

    final UdpLink open(List<InetAddress> addresses, int port) throws IOException {
        return UdpLink.open(addresses, port, kind());
    }

    /** A packet as it was handed over. */
    record Arrived(int localIndex, Gid source, int sourcePort, List<Byte> bytes) {}

    private static List<Arrived> take(UdpLink link, int count) {
        List<Arrived> arrived = new ArrayList<>();
        while (arrived.size() < count) {
            int before = arrived.size();
            int told = link.poll(
                    64,
                    (index, high, low, port, packet) ->
                            arrived.add(new Arrived(index, new Gid(high, low), port, bytes(packet))));
            assertThat(told).isEqualTo(arrived.size() - before);
        }
        return arrived;
    }

    private static List<Byte> bytes(PacketBuffer packet) {
        List<Byte> bytes = new ArrayList<>();
        for (int i = 0; i < packet.length(); i++) {
            bytes.add(packet.bytes().get(i));
        }
        return bytes;
    }

    private static PacketBuffer packet(int length, int number) {
        PacketBuffer packet = new PacketBuffer();
        packet.length(length);
        for (int i = 0; i < length; i++) {
            packet.bytes().put(i, (byte) (number * 31 + i));
        }
        return packet;
    }

    private static LinkAddress to(UdpLink peer, String address) {
        return LinkAddress.of(Gid.of(InetAddress.ofLiteral(address)), peer.port(), 0);
    }

    @Test
    void shouldCarryPacketsBetweenAllAddressesFromOnePort() throws IOException {
        try (UdpLink a = open(TWO_ADDRESSES, 0);
                UdpLink b = open(TWO_ADDRESSES, 0)) {
            PacketBuffer packet = packet(100, 1);
            assertThat(a.send(1, to(b, "127.0.0.1"), packet)).isTrue();
            a.flush();
            assertThat(packet.length()).isEqualTo(100);
            assertThat(take(b, 1))
                    .containsExactly(
                            new Arrived(0, Gid.of(InetAddress.ofLiteral("127.0.0.2")), a.port(), bytes(packet)));
        }
    }

    @Test
    void shouldCarryPacketsOverIpv6() throws IOException {
        InetAddress loopback = InetAddress.ofLiteral("::1");
        try (UdpLink a = open(List.of(TWO_ADDRESSES.getFirst(), loopback), 0);
                UdpLink b = open(List.of(loopback), 0)) {
            a.send(1, to(b, "::1"), packet(4116, 1));
            a.flush();
            assertThat(take(b, 1)).containsExactly(new Arrived(0, Gid.of(loopback), a.port(), bytes(packet(4116, 1))));
        }
    }

    @Test
    void whenFamiliesTakeTurnsThenEachSenderIsKnown() throws IOException {
        List<InetAddress> both = List.of(TWO_ADDRESSES.getFirst(), InetAddress.ofLiteral("::1"));
        try (UdpLink a = open(both, 0);
                UdpLink b = open(both, 0)) {
            for (int turn = 0; turn < 4; turn++) {
                InetAddress own = both.get(turn % 2);
                a.send(turn % 2, to(b, own.getHostAddress()), packet(64, turn));
                a.flush();
                assertThat(take(b, 1).getFirst().source()).isEqualTo(Gid.of(own));
            }
        }
    }

    @Test
    void shouldReachLinkLocalPeersThroughTheOwnInterface() throws IOException {
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
    void whenManyPacketsOfAllSizesAreSentThenEachArrivesWholeAndInOrder() throws IOException {
        long seed = System.nanoTime();
        System.out.println("UdpLinkContract seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        try (UdpLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                UdpLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
            LinkAddress peer = to(b, "127.0.0.1");
            for (int round = 0; round < 300; round++) {
                List<PacketBuffer> sent = runsOfOneSize(random);
                for (PacketBuffer packet : sent) {
                    assertThat(send(a, peer, packet, random.nextBoolean())).isTrue();
                }
                a.flush();
                assertThat(take(b, sent.size()).stream().map(Arrived::bytes))
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(sent.stream().map(UdpLinkContract::bytes).toList());
            }
            assertThat(a.sendFailures() + b.receiveFailures()).isZero();
        }
    }

    private static List<PacketBuffer> runsOfOneSize(SplittableRandom random) {
        List<PacketBuffer> packets = new ArrayList<>();
        int runs = random.nextInt(1, 4);
        for (int i = 0; i < runs; i++) {
            int size = random.nextInt(4) == 0 ? 16 : random.nextInt(1, LARGEST);
            int length = random.nextInt(1, 20);
            for (int j = 0; j < length; j++) {
                packets.add(packet(size, random.nextInt()));
            }
        }
        return packets;
    }

    /** Into the link's own buffer if it has one, as the RNIC does, or from another. */
    private static boolean send(UdpLink link, LinkAddress peer, PacketBuffer packet, boolean inPlace) {
        PacketBuffer own = inPlace ? link.nextPacket() : null;
        if (own == null) {
            return link.send(0, peer, packet);
        }
        own.copyFrom(packet);
        return link.send(0, peer, own);
    }

    @Test
    void whenOnePeerCannotBeReachedThenOnlyItsPacketsAreLost() throws IOException {
        try (UdpLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                UdpLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
            // From 127.0.0.1 nothing leaves the host, and the kernel says so.
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
    void whenNobodyListensThenLaterPacketsToOthersArrive() throws IOException {
        try (UdpLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                UdpLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
            UdpLink gone = open(TWO_ADDRESSES.subList(0, 1), 0);
            LinkAddress nobody = to(gone, "127.0.0.1");
            gone.close();
            for (int i = 0; i < 10; i++) {
                a.send(0, nobody, packet(40, i));
                a.flush();
                a.send(0, to(b, "127.0.0.1"), packet(40, i));
                a.flush();
            }
            assertThat(take(b, 10)).hasSize(10);
            assertThat(a.poll(8, (_, _, _, _, _) -> {})).isZero();
        }
    }

    @Test
    void shouldHearQuietSocketsToo() throws IOException {
        try (UdpLink a = open(TWO_ADDRESSES, 0)) {
            for (int i = 0; i < 5000; i++) {
                a.poll(8, (_, _, _, _, _) -> {});
            }
            a.send(0, to(a, "127.0.0.2"), packet(32, 0));
            a.flush();
            assertThat(take(a, 1).getFirst().localIndex()).isEqualTo(1);
        }
    }

    @Test
    void whenFlowsDifferThenSourcePortsDoAndTheyAreKnownBefore() throws IOException {
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
            assertThat(ports).hasSizeGreaterThan(1).contains(a.port());
        }
    }

    @Test
    void shouldSendWithTheTrafficClassAskedFor() throws IOException {
        assertThat(UdpHeaders.trafficClass(kind(), TWO_ADDRESSES.getFirst(), 0xB8))
                .isEqualTo(0xB8);
        assertThat(UdpHeaders.trafficClass(kind(), InetAddress.ofLiteral("::1"), 0x88))
                .isEqualTo(0x88);
        assertThat(UdpHeaders.trafficClass(kind(), TWO_ADDRESSES.getFirst(), 0)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 1400, 4120})
    void whenSocketIsFullThenRefusesUntilThereIsRoomAndLosesNothing(int size) throws IOException {
        try (UdpLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                UdpLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
            LinkAddress peer = to(b, "127.0.0.1");
            int packets = Math.min(2000, b.receiveWindowBytes() / size);
            for (int i = 0; i < packets; i++) {
                while (!a.send(0, peer, packet(size, i))) {
                    a.flush();
                }
            }
            a.flush();
            List<Arrived> arrived = take(b, packets);
            for (int i = 0; i < packets; i++) {
                assertThat(arrived.get(i).bytes()).isEqualTo(bytes(packet(size, i)));
            }
        }
    }

    @Test
    void whenPortIsTakenThenFailsAndLeavesNoSocketOpen() throws IOException {
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
    void whenClosedThenSendsAndPollsDoNothing() throws IOException {
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
