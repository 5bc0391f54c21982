package io.rdmarpc.rpc.engine;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Changes a packet to one that a faulty or hostile peer could send. */
final class PacketMutator {

    private static final int LONGEST = 200;
    private static final long[] EXTREMES = {
        0,
        1,
        2,
        16,
        0x7F,
        0x80,
        0xFF,
        0x7FFF,
        0xFFFF,
        Integer.MAX_VALUE,
        0x8000_0000L,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        -1
    };

    private final SplittableRandom random;

    PacketMutator(SplittableRandom random) {
        this.random = random;
    }

    byte[] mutate(byte[] packet) {
        return switch (random.nextInt(7)) {
            case 0 -> packet;
            case 1 -> flipped(packet.clone());
            case 2 -> Arrays.copyOf(packet, random.nextInt(packet.length + 1));
            case 3 -> lengthened(packet);
            case 4 -> overwritten(packet.clone());
            case 5 -> overwritten(overwritten(packet.clone()));
            default -> noise();
        };
    }

    private byte[] flipped(byte[] packet) {
        for (int i = 1 + random.nextInt(4); i > 0 && packet.length > 0; i--) {
            packet[random.nextInt(packet.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return packet;
    }

    private byte[] lengthened(byte[] packet) {
        byte[] longer = Arrays.copyOf(packet, packet.length + random.nextInt(LONGEST));
        for (int i = packet.length; i < longer.length; i++) {
            longer[i] = (byte) random.nextInt();
        }
        return longer;
    }

    /** Overwrites a field of 1, 2, 4 or 8 bytes with a number that is probably a boundary value. */
    private byte[] overwritten(byte[] packet) {
        int width = 1 << random.nextInt(4);
        if (packet.length < width) {
            return packet;
        }
        int at = random.nextInt(packet.length / width) * width;
        long value = random.nextInt(3) == 0 ? random.nextLong() : EXTREMES[random.nextInt(EXTREMES.length)];
        for (int i = 0; i < width; i++) {
            packet[at + i] = (byte) (value >>> (8 * i));
        }
        return packet;
    }

    private byte[] noise() {
        byte[] bytes = new byte[random.nextInt(LONGEST)];
        random.nextBytes(bytes);
        return bytes;
    }
}
