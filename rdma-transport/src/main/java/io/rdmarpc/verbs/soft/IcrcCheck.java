package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/**
 * Decides whether a packet's ICRC fits. It covers the IPv4 identification, which a socket does not show. Software RNICs send
 * 0; the kernel's rxe and hardware number their packets, so for them the identification is found from the ICRC, and 16 of
 * its 32 bits are left as a check.
 *
 * <p>Who has sent several packets in a row that fit in full is held to that: what fits only with another identification is
 * dropped. Senders are kept by address in a small table; one that was forgotten has to prove itself again.
 */
final class IcrcCheck {

    private static final int SENDERS = 256;
    private static final int STRICT_FROM = 4;
    private static final int MOST = 8;
    private static final int FLAGS_AND_OFFSET = 0xFFFF;
    private static final int HASH_FACTOR = 0x9E37_79B9;
    private static final int HASH_SHIFT = Integer.SIZE - 8;

    private final Icrc icrc = new Icrc();
    private final long[] senders = new long[SENDERS];
    private final byte[] fullMatches = new byte[SENDERS];

    /** Tells whether a packet may be taken as its sender made it. */
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
        if (fullMatches[slot] < MOST) {
            fullMatches[slot]++;
        }
    }

    /** Each rejection takes one proof back: a wrong impression of a sender, such as by a forger in its name, does not last. */
    private boolean mayNumberPackets(int ip, int port) {
        int slot = slot(ip, port);
        boolean strict = fullMatches[slot] >= STRICT_FROM;
        fullMatches[slot] = (byte) (strict ? fullMatches[slot] - 1 : 0);
        return !strict;
    }

    /** Returns the sender's place, which it takes from another if need be. */
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
