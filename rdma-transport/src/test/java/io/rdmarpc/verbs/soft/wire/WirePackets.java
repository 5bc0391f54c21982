package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Packets of random bytes, and their ICRC computed without the code under test. */
public final class WirePackets {

    private static final int SHORTEST = 16;
    private static final int STEPS = 1030;

    private WirePackets() {}

    /** Returns a packet of any length. */
    public static PacketBuffer random(SplittableRandom random) {
        return sized(random, SHORTEST + 4 * random.nextInt(STEPS));
    }

    /** Returns a packet of this number of bytes, including the ICRC. */
    public static PacketBuffer sized(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        PacketBuffer packet = new PacketBuffer();
        packet.length(length);
        packet.bytes().put(0, bytes);
        return packet;
    }

    /** Writes the ICRC of a packet with this IPv4 identification and these flags. */
    public static void finish(
            PacketBuffer packet, int idAndFlags, int source, int sourcePort, int destination, int destinationPort) {
        int value = icrc(packet, idAndFlags, source, sourcePort, destination, destinationPort);
        packet.bytes().putInt(packet.length() - 4, value);
    }

    /** Computes the ICRC straight from the specification: masked headers in one buffer, one bit at a time. */
    static int icrc(
            PacketBuffer packet, int idAndFlags, int source, int sourcePort, int destination, int destinationPort) {
        int udpLength = 8 + packet.length();
        ByteBuffer all = ByteBuffer.allocate(8 + 20 + udpLength - 4);
        all.putLong(-1L);
        all.putShort((short) 0x45FF).putShort((short) (20 + udpLength));
        all.putInt(idAndFlags);
        all.put((byte) 0xFF).put((byte) 17).putShort((short) 0xFFFF);
        all.putInt(source).putInt(destination);
        all.putShort((short) sourcePort).putShort((short) destinationPort);
        all.putShort((short) udpLength).putShort((short) 0xFFFF);
        byte[] rest = new byte[packet.length() - 4];
        packet.bytes().get(0, rest);
        rest[4] = (byte) 0xFF;
        all.put(rest);
        return Integer.reverseBytes(~register(all.array()));
    }

    private static int register(byte[] bytes) {
        int crc = -1;
        for (byte b : bytes) {
            crc ^= Byte.toUnsignedInt(b);
            for (int i = 0; i < 8; i++) {
                crc = (crc & 1) == 0 ? crc >>> 1 : crc >>> 1 ^ 0xEDB8_8320;
            }
        }
        return crc;
    }
}
