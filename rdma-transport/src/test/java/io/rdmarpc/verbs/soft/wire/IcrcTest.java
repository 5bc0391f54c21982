package io.rdmarpc.verbs.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class IcrcTest {

    private static final int SOURCE = 0x0A00_1101;
    private static final int DESTINATION = 0x0A00_1201;

    private final Icrc icrc = new Icrc();

    private static PacketBuffer packet(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        PacketBuffer packet = new PacketBuffer();
        packet.length(bytes.length);
        packet.bytes().put(0, bytes);
        return packet;
    }

    /** A congestion notification that a ConnectX-4 Lx sent; published in the test suite of scapy. */
    @Test
    void shouldMatchPacketCapturedFromHardware() {
        PacketBuffer packet = packet("8100ffff4000011800000000" + "00000000000000000000000000000000" + "82fd002a");
        int computed = icrc.compute(packet, 0x718C_4000, SOURCE, 0, DESTINATION, 4791);
        assertThat(computed).isEqualTo(0x82FD_002A);
    }

    /** An unreliable SEND between two ports of one host; published in the test suite of scapy. */
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
        long seed = System.nanoTime();
        System.out.println("IcrcTest seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 500; round++) {
            PacketBuffer packet = randomPacket(random);
            int source = random.nextInt();
            int destination = random.nextInt();
            int sourcePort = random.nextInt(0x1_0000);
            int destinationPort = random.nextInt(0x1_0000);
            icrc.write(packet, source, sourcePort, destination, destinationPort);
            int written = packet.bytes().getInt(packet.length() - 4);
            assertThat(written)
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(bitwise(packet, source, sourcePort, destination, destinationPort));
            assertThat(icrc.matches(packet, source, sourcePort, destination, destinationPort))
                    .isTrue();
        }
    }

    @Test
    void shouldNoticeEveryFlippedBitButThoseRoutersChange() {
        PacketBuffer packet = randomPacket(new SplittableRandom(7));
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
    void shouldNoticeOtherAddressesAndPorts() {
        PacketBuffer packet = randomPacket(new SplittableRandom(8));
        icrc.write(packet, SOURCE, 4791, DESTINATION, 5000);
        assertThat(icrc.matches(packet, SOURCE + 1, 4791, DESTINATION, 5000)).isFalse();
        assertThat(icrc.matches(packet, SOURCE, 4792, DESTINATION, 5000)).isFalse();
        assertThat(icrc.matches(packet, SOURCE, 4791, DESTINATION + 1, 5000)).isFalse();
        assertThat(icrc.matches(packet, SOURCE, 4791, DESTINATION, 5001)).isFalse();
    }

    @Test
    void shouldLeavePositionAndLengthAsTheyWere() {
        PacketBuffer packet = randomPacket(new SplittableRandom(9));
        int length = packet.length();
        icrc.write(packet, SOURCE, 1, DESTINATION, 2);
        assertThat(packet.length()).isEqualTo(length);
        assertThat(packet.bytes().position()).isZero();
    }

    private static PacketBuffer randomPacket(SplittableRandom random) {
        PacketBuffer packet = new PacketBuffer();
        byte[] bytes = new byte[16 + 4 * random.nextInt(1030)];
        random.nextBytes(bytes);
        packet.length(bytes.length);
        packet.bytes().put(0, bytes);
        return packet;
    }

    /** Straight from the specification: masked headers in one buffer, one bit at a time. */
    private static int bitwise(PacketBuffer packet, int source, int sourcePort, int destination, int destinationPort) {
        int udpLength = 8 + packet.length();
        ByteBuffer all = ByteBuffer.allocate(8 + 20 + udpLength - 4);
        all.putLong(-1L);
        all.putShort((short) 0x45FF).putShort((short) (20 + udpLength));
        all.putShort((short) 0).putShort((short) 0x4000);
        all.put((byte) 0xFF).put((byte) 17).putShort((short) 0xFFFF);
        all.putInt(source).putInt(destination);
        all.putShort((short) sourcePort).putShort((short) destinationPort);
        all.putShort((short) udpLength).putShort((short) 0xFFFF);
        byte[] rest = new byte[packet.length() - 4];
        packet.bytes().get(0, rest);
        rest[4] = (byte) 0xFF;
        all.put(rest);
        int crc = -1;
        for (byte b : all.array()) {
            crc ^= Byte.toUnsignedInt(b);
            for (int i = 0; i < 8; i++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0xEDB8_8320;
            }
        }
        return Integer.reverseBytes(~crc);
    }
}
