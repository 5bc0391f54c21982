package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Ipv4Header;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Writes all packets of another link to a file, in both directions. Sockets do not expose the identification of
 * received packets; it is derived from the ICRC, so that the ICRC is valid in the file too.
 */
public final class DumpingLink extends ForwardingLink {

    private static final int SHORTEST = Bth.BYTES + Icrc.BYTES;
    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<Gid> own;
    private final PacketDump dump;
    private final LongSupplier nanoClock;
    private final Icrc icrc = new Icrc();
    private LinkPacketHandler receiver = (_, _, _, _, _) -> {};
    private final LinkPacketHandler listener = this::onPacket;
    private long lastFlushNanos;

    /**
     * Wraps a link.
     *
     * @param link the link to wrap, closed with this one
     * @param own the local addresses by index
     * @param dump the dump, closed with this one
     * @param nanoClock the current time in nanoseconds, from an arbitrary origin
     */
    public DumpingLink(PacketLink link, List<Gid> own, PacketDump dump, LongSupplier nanoClock) {
        super(link);
        this.own = List.copyOf(own);
        this.dump = dump;
        this.nanoClock = nanoClock;
        this.lastFlushNanos = nanoClock.getAsLong();
    }

    @Override
    public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
        boolean taken = link().send(localIndex, destination, packet);
        if (taken) {
            Gid from = own.get(localIndex);
            Gid to = destination.gid();
            dump.add(packet, Ipv4Header.DONT_FRAGMENT, from, destination.sourcePort(), to, destination.port());
        }
        return taken;
    }

    @Override
    public int poll(int max, LinkPacketHandler handler) {
        receiver = handler;
        int count = link().poll(max, listener);
        if (count == 0 && dump.isPending()) {
            flushInTime();
        }
        return count;
    }

    private void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet) {
        packet.makeWhole();
        Gid to = own.get(localIndex);
        int idAndFlags = to.isIpv4Mapped() && isWhole(packet)
                ? icrc.idAndFlags(packet, (int) sourceLow, sourcePort, to.ipv4(), link().port())
                : Ipv4Header.DONT_FRAGMENT;
        boolean fits = (idAndFlags & ~Ipv4Header.DONT_FRAGMENT & 0xFFFF) == 0;
        Gid from = new Gid(sourceHigh, sourceLow);
        dump.add(packet, fits ? idAndFlags : Ipv4Header.DONT_FRAGMENT, from, sourcePort, to, link().port());
        receiver.onPacket(localIndex, sourceHigh, sourceLow, sourcePort, packet);
    }

    /** Returns whether a received packet, which may be malformed, has a valid length. */
    private static boolean isWhole(PacketBuffer packet) {
        return packet.length() >= SHORTEST && packet.length() % 4 == 0;
    }

    /** Flushes at intervals, so that packets appear in the file soon but a busy link does not write each of them. */
    private void flushInTime() {
        long now = nanoClock.getAsLong();
        if (now - lastFlushNanos > LONGEST_WAIT_NANOS) {
            lastFlushNanos = now;
            dump.flush();
        }
    }

    /** {@inheritDoc} Flushes the file first, because the sleep may be long. */
    @Override
    public boolean prepareSleep() {
        dump.flush();
        return link().prepareSleep();
    }

    @Override
    public void close() {
        link().close();
        dump.close();
    }
}
