package io.rdmarpc.verbs.soft.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract of every link. */
@Timeout(60)
public abstract class LinkContract {

    /** Addresses of this host. */
    protected static final List<InetAddress> TWO_ADDRESSES =
            List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2"));

    private static final int LARGEST = 4096 + 60;

    /** Opens a link. */
    protected abstract PacketLink open(List<InetAddress> addresses, int port) throws IOException;

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

    /** Sends a packet from the link's own buffer if it has one, as the RNIC does, or from another buffer. */
    private static boolean send(PacketLink link, LinkAddress peer, PacketBuffer packet, boolean inPlace) {
        PacketBuffer own = inPlace ? link.nextPacket() : null;
        if (own == null) {
            return link.send(0, peer, packet);
        }
        own.copyFrom(packet);
        return link.send(0, peer, own);
    }

    /** A received packet. */
    protected record Arrived(int localIndex, Gid source, int sourcePort, List<Byte> bytes) {}

    protected static List<Arrived> take(PacketLink link, int count) {
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

    protected static List<Byte> bytes(PacketBuffer packet) {
        packet.makeWhole();
        List<Byte> bytes = new ArrayList<>();
        for (int i = 0; i < packet.length(); i++) {
            bytes.add(packet.bytes().get(i));
        }
        return bytes;
    }

    protected static PacketBuffer packet(int length, int number) {
        PacketBuffer packet = new PacketBuffer();
        packet.length(length);
        for (int i = 0; i < length; i++) {
            packet.bytes().put(i, (byte) (number * 31 + i));
        }
        return packet;
    }

    protected static LinkAddress to(PacketLink peer, String address) {
        return LinkAddress.of(Gid.of(InetAddress.ofLiteral(address)), peer.port(), 0);
    }

    @Test
    void shouldCarryPacketsBetweenAllAddressesFromOnePort() throws IOException {
        try (PacketLink a = open(TWO_ADDRESSES, 0);
                PacketLink b = open(TWO_ADDRESSES, 0)) {
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
        try (PacketLink a = open(List.of(TWO_ADDRESSES.getFirst(), loopback), 0);
                PacketLink b = open(List.of(loopback), 0)) {
            a.send(1, to(b, "::1"), packet(4116, 1));
            a.flush();
            assertThat(take(b, 1)).containsExactly(new Arrived(0, Gid.of(loopback), a.port(), bytes(packet(4116, 1))));
        }
    }

    @Test
    void whenFamiliesAlternateThenEachSenderIsKnown() throws IOException {
        List<InetAddress> both = List.of(TWO_ADDRESSES.getFirst(), InetAddress.ofLiteral("::1"));
        try (PacketLink a = open(both, 0);
                PacketLink b = open(both, 0)) {
            for (int turn = 0; turn < 4; turn++) {
                InetAddress own = both.get(turn % 2);
                a.send(turn % 2, to(b, own.getHostAddress()), packet(64, turn));
                a.flush();
                assertThat(take(b, 1).getFirst().source()).isEqualTo(Gid.of(own));
            }
        }
    }

    @Test
    void whenManyPacketsOfAllSizesAreSentThenEachArrivesWholeAndInOrder() throws IOException {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        try (PacketLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                PacketLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
            LinkAddress peer = to(b, "127.0.0.1");
            for (int round = 0; round < 300; round++) {
                List<PacketBuffer> sent = runsOfOneSize(random);
                for (PacketBuffer packet : sent) {
                    assertThat(send(a, peer, packet, random.nextBoolean())).isTrue();
                }
                a.flush();
                assertThat(take(b, sent.size()).stream().map(Arrived::bytes))
                        .as("seed %d round %d", seed, round)
                        .isEqualTo(sent.stream().map(LinkContract::bytes).toList());
            }
        }
    }

    @Test
    void whenAPeerIsGoneThenLaterPacketsToOthersArrive() throws IOException {
        try (PacketLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                PacketLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
            PacketLink gone = open(TWO_ADDRESSES.subList(0, 1), 0);
            LinkAddress unreachable = to(gone, "127.0.0.1");
            gone.close();
            for (int i = 0; i < 10; i++) {
                a.send(0, unreachable, packet(40, i));
                a.flush();
                a.send(0, to(b, "127.0.0.1"), packet(40, i));
                a.flush();
            }
            assertThat(take(b, 10)).hasSize(10);
            assertThat(a.poll(8, (_, _, _, _, _) -> {})).isZero();
        }
    }

    @Test
    void shouldReceiveOnQuietAddresses() throws IOException {
        try (PacketLink a = open(TWO_ADDRESSES, 0)) {
            for (int i = 0; i < 5000; i++) {
                a.poll(8, (_, _, _, _, _) -> {});
            }
            a.send(0, to(a, "127.0.0.2"), packet(32, 0));
            a.flush();
            assertThat(take(a, 1).getFirst().localIndex()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 1400, 4120})
    void whenReceiverIsSlowThenRejectsUntilThereIsRoomAndLosesNothing(int size) throws IOException {
        try (PacketLink a = open(TWO_ADDRESSES.subList(0, 1), 0);
                PacketLink b = open(TWO_ADDRESSES.subList(0, 1), 0)) {
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
    void whenClosedThenSendsAndPollsDoNothing() throws IOException {
        PacketLink link = open(TWO_ADDRESSES, 0);
        LinkAddress self = to(link, "127.0.0.1");
        link.close();
        assertThat(link.send(0, self, packet(32, 0))).isTrue();
        link.flush();
        assertThat(link.poll(8, (_, _, _, _, _) -> {})).isZero();
        link.close();
    }

    @Test
    void whenAPacketHasArrivedThenItsOwnerDoesNotSleep() throws IOException {
        try (PacketLink a = open(TWO_ADDRESSES, 0);
                PacketLink b = open(TWO_ADDRESSES, 0)) {
            assertThat(b.prepareSleep()).isTrue();
            b.endSleep();
            assertThat(a.longestSleepNanos()).isPositive();
            a.send(0, to(b, "127.0.0.1"), packet(32, 0));
            a.flush();
            assertThat(take(b, 1)).hasSize(1);
        }
    }
}
