package io.rdmarpc.verbs.soft;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import io.rdmarpc.verbs.soft.qp.SoftQueuePair;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.rnic.SoftRnicCounters;
import io.rdmarpc.verbs.soft.ud.UdQueuePair;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Ipv6Icrc;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Validates the header fields of each packet that do not depend on a queue pair (InfiniBand Architecture Specification
 * vol. 1, 9.6.1). Passes each valid packet to its queue pair.
 */
final class PacketReceiver implements LinkPacketHandler {

    private static final int SHORTEST = Bth.BYTES + Icrc.BYTES;
    private static final int VERSION = 0;
    private static final int PKEY_MASK = 0x7FFF;

    private final LocalGidTable gids;
    private final int port;
    private final QueuePairTable queuePairs;
    private final SoftRnicCounters counters;
    private final FailureLog failures;
    private final IcrcCheck icrc = new IcrcCheck();
    private final Ipv6Icrc ipv6Icrc = new Ipv6Icrc();

    PacketReceiver(
            LocalGidTable gids, int port, QueuePairTable queuePairs, SoftRnicCounters counters, FailureLog failures) {
        this.failures = failures;
        this.gids = gids;
        this.port = port;
        this.queuePairs = queuePairs;
        this.counters = counters;
    }

    @Override
    public void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet) {
        counters.countReceived();
        DropReason problem = headerProblem(packet);
        if (problem != null) {
            counters.countDrop(problem);
            return;
        }
        SoftQueuePair qp = queuePairs.find(Bth.destinationQp(packet.bytes()));
        if (qp == null) {
            counters.countDrop(DropReason.UNKNOWN_QP);
        } else if (packet.hasIcrc()
                && !hasValidIcrc(packet, gids.get(localIndex).gid(), sourceHigh, sourceLow, sourcePort)) {
            counters.countDrop(DropReason.WRONG_ICRC);
        } else {
            deliver(qp, localIndex, sourceHigh, sourceLow, packet);
        }
    }

    /** Catches all failures, because the packets that follow belong to other queue pairs. */
    private void deliver(SoftQueuePair qp, int localIndex, long sourceHigh, long sourceLow, PacketBuffer packet) {
        try {
            qp.onPacket(localIndex, sourceHigh, sourceLow, packet);
        } catch (Throwable e) {
            failures.report("queue pair " + qp.number() + " failed on a packet", e);
            qp.onFailedPacket();
        }
    }

    /** {@inheritDoc} Handles datagrams for which a receive is posted. {@link #onPacket} finds and counts all errors. */
    @Override
    public boolean receivesInPlace(int localIndex, long sourceHigh, long sourceLow, long address, int length) {
        if (length < UdQueuePair.SHORTEST) {
            return false;
        }
        long first = Long.reverseBytes(NativeWords.getLong(address));
        if (queuePairs.find(Bth.destinationQp(first)) instanceof UdQueuePair qp
                && qp.receivesInPlace(localIndex, sourceHigh, sourceLow, first, address, length)) {
            counters.countReceived();
            return true;
        }
        return false;
    }

    private boolean hasValidIcrc(PacketBuffer packet, Gid own, long sourceHigh, long sourceLow, int sourcePort) {
        return own.isIpv4Mapped()
                ? icrc.accepts(packet, (int) sourceLow, sourcePort, own.ipv4(), port)
                : ipv6Icrc.matches(packet, sourceHigh, sourceLow, sourcePort, own.high(), own.low(), port);
    }

    private static @Nullable DropReason headerProblem(PacketBuffer packet) {
        int length = packet.length();
        ByteBuffer bytes = packet.bytes();
        if (length < SHORTEST || length % 4 != 0 || length - SHORTEST < Bth.padCount(bytes)) {
            return DropReason.MALFORMED;
        }
        if (Bth.version(bytes) != VERSION) {
            return DropReason.UNKNOWN_VERSION;
        }
        return (Bth.pkey(bytes) & PKEY_MASK) == (Bth.DEFAULT_PKEY & PKEY_MASK) ? null : DropReason.WRONG_PKEY;
    }
}
