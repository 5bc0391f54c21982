package io.rdmarpc.verbs.interop;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/**
 * Checks the ICRC of each RoCE v2 packet of a capture. The computation from the bytes on the wire shares no code with
 * the software RNIC.
 *
 * <pre>
 *   CapturedPackets FILE ADDRESS TAKEN   status 1 unless all ICRCs are right and TAKEN packets are from ADDRESS
 * </pre>
 */
public final class CapturedPackets {

    private static final int IPV4_BYTES = 20;
    private static final int UDP_BYTES = 8;
    private static final int ICRC_BYTES = 4;
    private static final int UNMASKED_BYTES = 8;

    private CapturedPackets() {}

    /**
     * Runs the check.
     *
     * @param args see the class
     */
    public static void main(String[] args) throws IOException {
        List<ByteBuffer> packets = PcapFile.packets(Path.of(args[0]));
        int own = ByteBuffer.wrap(InetAddress.getByName(args[1]).getAddress()).getInt();
        int expected = Integer.parseInt(args[2]);
        long wrong = packets.stream().filter(packet -> !hasRightIcrc(packet)).count();
        long sent = packets.stream().filter(packet -> packet.getInt(12) == own).count();
        long numbered =
                packets.stream().filter(packet -> packet.getShort(4) != 0).count();
        System.out.printf(
                "ICRC: %d packets, %d wrong; %d of them numbered; %d from %s, of which rxe accepted %d%n",
                packets.size(), wrong, numbered, sent, args[1], expected);
        System.exit(wrong == 0 && sent == expected && sent > 0 && numbered > 0 ? 0 : 1);
    }

    /**
     * Returns whether the last four bytes of a packet, from its IPv4 header on, are its ICRC (RoCE v2 annex A17.3.3).
     */
    public static boolean hasRightIcrc(ByteBuffer packet) {
        int bytes = Short.toUnsignedInt(packet.getShort(2));
        byte[] covered = new byte[UNMASKED_BYTES + bytes - ICRC_BYTES];
        packet.get(0, covered, UNMASKED_BYTES, bytes - ICRC_BYTES);
        for (int i = 0; i < UNMASKED_BYTES; i++) {
            covered[i] = (byte) 0xFF;
        }
        int ip = UNMASKED_BYTES;
        int udp = ip + IPV4_BYTES;
        int bth = udp + UDP_BYTES;
        // Fields that routers change: type of service, time to live, both checksums, and the congestion bits.
        for (int at : new int[] {ip + 1, ip + 8, ip + 10, ip + 11, udp + 6, udp + 7, bth + 4}) {
            covered[at] = (byte) 0xFF;
        }
        int carried = Integer.reverseBytes(packet.getInt(bytes - ICRC_BYTES));
        return carried == crc32(covered);
    }

    private static int crc32(byte[] bytes) {
        int register = 0xFFFF_FFFF;
        for (byte b : bytes) {
            register ^= b & 0xFF;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                boolean carry = (register & 1) != 0;
                register >>>= 1;
                register ^= carry ? 0xEDB8_8320 : 0;
            }
        }
        return ~register;
    }
}
