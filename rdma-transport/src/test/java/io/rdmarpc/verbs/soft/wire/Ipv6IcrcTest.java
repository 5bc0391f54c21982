package io.rdmarpc.verbs.soft.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class Ipv6IcrcTest {

    private final Ipv6Icrc icrc = new Ipv6Icrc();

    private static PacketBuffer randomPacket(SplittableRandom random) {
        PacketBuffer packet = new PacketBuffer();
        byte[] bytes = new byte[16 + 4 * random.nextInt(1030)];
        random.nextBytes(bytes);
        packet.length(bytes.length);
        packet.bytes().put(0, bytes);
        return packet;
    }

    @Test
    void shouldEqualIndependentComputation() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 300; round++) {
            PacketBuffer packet = randomPacket(random);
            long[] addresses = random.longs(4).toArray();
            int sourcePort = random.nextInt(0x1_0000);
            icrc.write(packet, addresses[0], addresses[1], sourcePort, addresses[2], addresses[3], 4791);
            assertThat(packet.bytes().getInt(packet.length() - 4))
                    .as("seed %d round %d", seed, round)
                    .isEqualTo(bitwise(packet, addresses, sourcePort));
        }
    }

    @Test
    void shouldDetectEveryFlippedBitExceptThoseThatRoutersChange() {
        PacketBuffer packet = randomPacket(new SplittableRandom(7));
        icrc.write(packet, 1, 2, 3, 4, 5, 6);
        for (int bit = 0; bit < packet.length() * 8; bit++) {
            int at = bit / 8;
            byte before = packet.bytes().get(at);
            packet.bytes().put(at, (byte) (before ^ 1 << bit % 8));
            assertThat(icrc.matches(packet, 1, 2, 3, 4, 5, 6)).as("bit %d", bit).isEqualTo(at == 4);
            packet.bytes().put(at, before);
        }
    }

    @Test
    void shouldDetectOtherAddressesAndPorts() {
        PacketBuffer packet = randomPacket(new SplittableRandom(8));
        icrc.write(packet, 1, 2, 3, 4, 5, 6);
        assertThat(icrc.matches(packet, 0, 2, 3, 4, 5, 6)).isFalse();
        assertThat(icrc.matches(packet, 1, 0, 3, 4, 5, 6)).isFalse();
        assertThat(icrc.matches(packet, 1, 2, 0, 4, 5, 6)).isFalse();
        assertThat(icrc.matches(packet, 1, 2, 3, 0, 5, 6)).isFalse();
        assertThat(icrc.matches(packet, 1, 2, 3, 4, 0, 6)).isFalse();
        assertThat(icrc.matches(packet, 1, 2, 3, 4, 5, 0)).isFalse();
    }

    /** Straight from the specification: masked headers in one buffer, one bit at a time. */
    private static int bitwise(PacketBuffer packet, long[] addresses, int sourcePort) {
        int udpLength = 8 + packet.length();
        ByteBuffer all = ByteBuffer.allocate(8 + 40 + udpLength - 4);
        all.putLong(-1L);
        all.putInt(0x6FFF_FFFF).putShort((short) udpLength);
        all.put((byte) 17).put((byte) 0xFF);
        for (long half : addresses) {
            all.putLong(half);
        }
        all.putShort((short) sourcePort).putShort((short) 4791);
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
