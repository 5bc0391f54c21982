package io.rdmarpc.verbs.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class IcrcTest {

    private static final int SOURCE = 0x0A00_1101;
    private static final int DESTINATION = 0x0A00_1201;
    private static final int DF = 0x4000;

    private final Icrc icrc = new Icrc();

    private static PacketBuffer packet(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        PacketBuffer packet = new PacketBuffer();
        packet.length(bytes.length);
        packet.bytes().put(0, bytes);
        return packet;
    }

    /** A congestion notification packet of a ConnectX-4 Lx, published in the test suite of scapy. */
    @Test
    void shouldMatchPacketCapturedFromHardware() {
        PacketBuffer packet = packet("8100ffff4000011800000000" + "00000000000000000000000000000000" + "82fd002a");
        int computed = icrc.compute(packet, 0x718C_4000, SOURCE, 0, DESTINATION, 4791);
        assertThat(computed).isEqualTo(0x82FD_002A);
    }

    /** An unreliable SEND between two ports of one host, published in the test suite of scapy. */
    @Test
    void shouldMatchPacketWithPadding() {
        PacketBuffer packet =
                packet("2460ffff000000d300cf1710" + "4630818be28935d90e9a95505401be885e500000" + "00000000");
        int host = 0xC0A8_0007;
        int computed = icrc.compute(packet, 1144 << 16 | 0x4000, host, 49152, host, 4791);
        assertThat(computed).isEqualTo(0x78F3_53F3);
    }

    @Test
    void shouldEqualIndependentComputation() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 500; round++) {
            PacketBuffer packet = WirePackets.random(random);
            int source = random.nextInt();
            int destination = random.nextInt();
            int sourcePort = random.nextInt(0x1_0000);
            int destinationPort = random.nextInt(0x1_0000);
            icrc.write(packet, source, sourcePort, destination, destinationPort);
            int written = packet.bytes().getInt(packet.length() - 4);
            assertThat(written)
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(WirePackets.icrc(packet, DF, source, sourcePort, destination, destinationPort));
            assertThat(icrc.matches(packet, source, sourcePort, destination, destinationPort))
                    .isTrue();
        }
    }

    @Test
    void shouldDetectEveryFlippedBitExceptThoseThatRoutersChange() {
        PacketBuffer packet = WirePackets.random(new SplittableRandom(7));
        icrc.write(packet, SOURCE, 4791, DESTINATION, 4791);
        for (int bit = 0; bit < packet.length() * 8; bit++) {
            int at = bit / 8;
            byte before = packet.bytes().get(at);
            packet.bytes().put(at, (byte) (before ^ 1 << bit % 8));
            assertThat(icrc.matches(packet, SOURCE, 4791, DESTINATION, 4791))
                    .as("bit %d", bit)
                    .isEqualTo(at == 4);
            packet.bytes().put(at, before);
        }
    }

    @Test
    void shouldDetectOtherAddressesAndPorts() {
        PacketBuffer packet = WirePackets.random(new SplittableRandom(8));
        icrc.write(packet, SOURCE, 4791, DESTINATION, 5000);
        assertThat(icrc.matches(packet, SOURCE + 1, 4791, DESTINATION, 5000)).isFalse();
        assertThat(icrc.matches(packet, SOURCE, 4792, DESTINATION, 5000)).isFalse();
        assertThat(icrc.matches(packet, SOURCE, 4791, DESTINATION + 1, 5000)).isFalse();
        assertThat(icrc.matches(packet, SOURCE, 4791, DESTINATION, 5001)).isFalse();
    }

    @Test
    void shouldLeavePositionAndLengthAsTheyWere() {
        PacketBuffer packet = WirePackets.random(new SplittableRandom(9));
        int length = packet.length();
        icrc.write(packet, SOURCE, 1, DESTINATION, 2);
        assertThat(packet.length()).isEqualTo(length);
        assertThat(packet.bytes().position()).isZero();
    }

    @Test
    @DisplayName("the identification and flags of a packet are derived from its ICRC")
    void whenThePacketWasNumberedThenTheIdentificationIsDerived() {
        SplittableRandom random = new SplittableRandom(10);
        for (int round = 0; round < 2_000; round++) {
            PacketBuffer packet = WirePackets.random(random);
            int idAndFlags = random.nextInt();
            WirePackets.finish(packet, idAndFlags, SOURCE, 0xC001, DESTINATION, 4791);
            assertThat(icrc.idAndFlags(packet, SOURCE, 0xC001, DESTINATION, 4791))
                    .as("round %d, %d bytes", round, packet.length())
                    .isEqualTo(idAndFlags);
        }
    }

    /** The packet of {@link #shouldMatchPacketCapturedFromHardware}. */
    @Test
    @DisplayName("the identification of a hardware packet is derived")
    void whenHardwareNumberedThePacketThenTheIdentificationIsDerived() {
        PacketBuffer packet = packet("8100ffff4000011800000000" + "00000000000000000000000000000000" + "82fd002a");
        assertThat(icrc.idAndFlags(packet, SOURCE, 0, DESTINATION, 4791)).isEqualTo(0x718C_4000);
    }
}
