package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/**
 * Decides whether the ICRC of a packet is valid. The ICRC covers the IPv4 identification, which a socket does not
 * expose. Software RNICs send 0. The kernel's rxe and hardware give each packet a different identification. For these
 * senders the identification is derived from the ICRC, which leaves 16 of its 32 bits as a check.
 *
 * <p>A sender of several packets in a row with identification 0 becomes a strict sender. Packets of a strict sender
 * that are valid only with another identification are dropped. A small hash table keeps the senders by address. A
 * sender whose entry was replaced has to qualify again.
 */
final class IcrcCheck {

    private static final int SENDERS = 256;
    private static final int STRICT_FROM = 4;
    private static final int MAX_MATCHES = 8;
    private static final int FLAGS_AND_OFFSET = 0xFFFF;
    private static final int HASH_FACTOR = 0x9E37_79B9;
    private static final int HASH_SHIFT = Integer.SIZE - 8;

    private final Icrc icrc = new Icrc();
    private final long[] senders = new long[SENDERS];
    private final byte[] fullMatches = new byte[SENDERS];

    /** Returns whether the ICRC of a packet is valid. */
    boolean accepts(PacketBuffer packet, int sourceIp, int sourcePort, int destinationIp, int destinationPort) {
        int idAndFlags = icrc.idAndFlags(packet, sourceIp, sourcePort, destinationIp, destinationPort);
        if (idAndFlags == Ipv4Header.DONT_FRAGMENT) {
            onFullMatch(sourceIp, sourcePort);
            return true;
        }
        return isPlausible(idAndFlags) && mayNumberPackets(sourceIp, sourcePort);
    }

    private static boolean isPlausible(int idAndFlags) {
        return (idAndFlags & FLAGS_AND_OFFSET & ~Ipv4Header.DONT_FRAGMENT) == 0;
    }

    private void onFullMatch(int ip, int port) {
        int slot = slot(ip, port);
        if (fullMatches[slot] < MAX_MATCHES) {
            fullMatches[slot]++;
        }
    }

    /**
     * Each rejected packet lowers the sender's count, so that packets that another host forged with its address do not
     * make it strict for long.
     */
    private boolean mayNumberPackets(int ip, int port) {
        int slot = slot(ip, port);
        boolean strict = fullMatches[slot] >= STRICT_FROM;
        fullMatches[slot] = (byte) (strict ? fullMatches[slot] - 1 : 0);
        return !strict;
    }

    /** Returns the sender's slot, and replaces another sender that has it. */
    private int slot(int ip, int port) {
        long sender = Integer.toUnsignedLong(ip) << Short.SIZE | port;
        int slot = ((ip * 31 + port) * HASH_FACTOR) >>> HASH_SHIFT;
        if (senders[slot] != sender) {
            senders[slot] = sender;
            fullMatches[slot] = 0;
        }
        return slot;
    }
}
