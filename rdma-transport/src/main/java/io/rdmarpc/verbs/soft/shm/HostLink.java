package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.ffi.Bell;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.PacketRoom;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.ShmPathListener;
import io.rdmarpc.verbs.soft.link.ShmPathWriter;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import io.rdmarpc.verbs.soft.shm.layout.HostAddress;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.channels.SelectableChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends packets to peers on this host through shared memory, and all others through the link that it wraps. It looks
 * for a peer when a packet is sent to it, see {@link Rendezvous}. A peer that cannot be reached through memory is
 * reached through the wrapped link.
 *
 * <p>A ring that stays full drops packets, as a socket's buffer does: a peer that does not poll must not block packets
 * to other peers.
 */
public final class HostLink implements PacketLink {

    private static final long FULL_PATIENCE_NANOS = 20_000_000;
    private static final long STUCK_CHECK_NANOS = 100_000_000;
    private static final long QUIET_CHECK_NANOS = 1_000_000_000;

    private final PacketLink udp;
    private final Inbox inbox;
    private final OutboundRings outbound;
    private final InboundRings inbound;
    private final RingSource ringSource;
    private final @Nullable HostMemory memory;
    private final Doorbell doorbell;
    private final @Nullable Bell bell;
    private final UdpPollSchedule udpSchedule;
    private final LongSupplier nanoClock;
    private final HostLinkCounters counters;
    private final Room room = new Room();
    private long lastStuckCheckNanos;
    private long lastQuietCheckNanos;
    private @Nullable LinkAddress lookedUp;
    private @Nullable HostPeer lookedUpPeer;
    private boolean closed;

    private HostLink(
            PacketLink udp,
            Rendezvous rendezvous,
            Inbox inbox,
            List<byte[]> addresses,
            int ringBytes,
            RingBudget budget,
            HostLinkCounters counters,
            LongSupplier nanoClock) {
        this.udp = udp;
        this.inbox = inbox;
        this.counters = counters;
        this.nanoClock = nanoClock;
        OutboundRing.Sender self = new OutboundRing.Sender(inbox.name(), udp.port(), addresses);
        Handover handover = inbox.handover();
        this.ringSource = new RingSource(self, ringBytes, handover);
        this.outbound = new OutboundRings(rendezvous, ringSource, nanoClock, counters);
        this.inbound = new InboundRings(rendezvous, inbox, outbound, budget, counters);
        this.memory = handover == null ? null : new HostMemory(handover, outbound, inbound);
        this.bell = handover == null ? null : openBell(udp);
        inbound.onNewRing(this::passStateAndBell);
        inbound.endGrantsBy(outbound::revokeAll);
        this.doorbell = new Doorbell(udp, counters, this::receiveHandovers);
        this.udpSchedule = new UdpPollSchedule(nanoClock);
        this.lastStuckCheckNanos = nanoClock.getAsLong();
        this.lastQuietCheckNanos = lastStuckCheckNanos;
    }

    /**
     * Wraps a link if shared memory is available; otherwise returns that link.
     *
     * @param udp the link to wrap, closed with the result
     * @param addresses the local addresses in the order of their indexes
     * @param options sizes of the rings, and whether shared memory is enabled
     */
    public static PacketLink around(
            PacketLink udp, List<? extends InetAddress> addresses, SharedMemoryOptions options) {
        boolean wanted = options.enabled() && addresses.size() <= ShmRingLayout.MAX_ADDRESSES;
        return wanted ? around(udp, addresses, options, Rendezvous.PARENT) : udp;
    }

    static PacketLink around(
            PacketLink udp, List<? extends InetAddress> addresses, SharedMemoryOptions options, Path parent) {
        try {
            return open(udp, addresses, options, parent);
        } catch (IOException | UnsupportedOperationException e) {
            System.getLogger(HostLink.class.getName())
                    .log(
                            Level.DEBUG,
                            "Shared memory is not available, the software RNIC uses UDP to reach peers"
                                    + " on this host: {0}",
                            e);
            return udp;
        }
    }

    /** Wraps a link; fails if shared memory is not available. */
    static HostLink open(
            PacketLink udp, List<? extends InetAddress> addresses, SharedMemoryOptions options, Path parent)
            throws IOException {
        return open(udp, addresses, options, parent, NativeAccess.isGranted(), System::nanoTime);
    }

    /** Wraps a link, with or without the passing of anonymous memory; fails if shared memory is not available. */
    static HostLink open(
            PacketLink udp,
            List<? extends InetAddress> addresses,
            SharedMemoryOptions options,
            Path parent,
            boolean passesMemory,
            LongSupplier nanoClock)
            throws IOException {
        Rendezvous rendezvous = Rendezvous.open(parent);
        rendezvous.tidy();
        HostLinkCounters counters = new HostLinkCounters();
        RingBudget budget = new RingBudget(options.inboundBytes(), counters);
        Inbox inbox = Inbox.create(rendezvous, addresses.size(), passesMemory, budget, counters);
        try {
            List<byte[]> all = addresses.stream().map(HostAddress::bytes).toList();
            for (int i = 0; i < all.size(); i++) {
                rendezvous.register(HostAddress.text(all.get(i)), udp.port(), new Rendezvous.Entry(inbox.name(), i));
            }
            return new HostLink(udp, rendezvous, inbox, all, options.ringBytes(), budget, counters, nanoClock);
        } catch (IOException e) {
            inbox.close();
            throw e;
        }
    }

    /**
     * Creates the bell with which peers wake this process. A process that sleeps in a selector has no bell, so peers
     * send it datagrams.
     */
    private static @Nullable Bell openBell(PacketLink udp) {
        try {
            return udp.channels().isEmpty() ? Bell.open("shared memory") : null;
        } catch (RdmaVerbsException e) {
            return null; // Too many descriptors are open.
        }
    }

    /** Passes state and bell to the sender of a ring; false if the rest has to be passed later. */
    private boolean passStateAndBell(InboundRing ring) {
        Handover handover = inbox.handover();
        if (handover == null) {
            return true;
        }
        Path peer = outbound.inbox(ring.sender());
        if (ring.needs(Handover.STATE) && inbox.shareState(ring)) {
            ring.markPassed(Handover.STATE);
        }
        if (ring.needs(Handover.BELL) && (bell == null || handover.offerBell(peer, ring.ticket(), bell))) {
            ring.markPassed(Handover.BELL);
        }
        return !ring.needs(Handover.STATE) && !ring.needs(Handover.BELL);
    }

    private void receiveHandovers() {
        if (memory != null) {
            memory.receiveHandovers();
        }
    }

    // ---- out ----

    @Override
    public LinkAddress resolve(int localIndex, Gid destination, int port, int trafficClass, int flow) {
        return udp.resolve(localIndex, destination, port, trafficClass, flow);
    }

    @Override
    public void release(LinkAddress address) {
        udp.release(address);
    }

    @Override
    public void prepare() {
        ringSource.prepare();
        udp.prepare();
    }

    @Override
    public @Nullable PacketBuffer nextPacket() {
        return closed ? null : udp.nextPacket();
    }

    @Override
    public boolean isIntact(LinkAddress destination) {
        if (closed) {
            return false;
        }
        HostPeer peer = outbound.peer(destination);
        lookedUp = destination;
        lookedUpPeer = peer;
        return peer.ring() != null;
    }

    /** Returns the peer of a destination; the result of {@link #isIntact} is reused for the next packet. */
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    private HostPeer peer(LinkAddress destination) {
        HostPeer known = destination == lookedUp ? lookedUpPeer : null;
        lookedUp = null;
        return known == null ? outbound.peer(destination) : known;
    }

    @Override
    public boolean send(int localIndex, LinkAddress destination, PacketBuffer packet) {
        if (closed) {
            return true;
        }
        HostPeer peer = peer(destination);
        OutboundRing ring = peer.ring();
        if (ring == null) {
            return udp.send(localIndex, destination, packet);
        }
        if (ring.write(localIndex, peer.target(), packet)) {
            counters.countSent();
            doorbell.sentTo(ring);
            return true;
        }
        return isLost(ring);
    }

    @Override
    public @Nullable PacketRoom room(int localIndex, LinkAddress destination, int length) {
        if (closed) {
            return null;
        }
        HostPeer peer = outbound.peer(destination);
        OutboundRing ring = peer.ring();
        return ring != null && ring.hasRooms() && room.claim(ring, localIndex, peer.target(), length) ? room : null;
    }

    /** The record for the next packet. */
    private final class Room implements PacketRoom {

        private @Nullable OutboundRing ring;
        private MemorySegment memory = MemorySegment.NULL;
        private long at;
        private int length;
        private int source;
        private int target;

        boolean claim(OutboundRing into, int localIndex, int targetIndex, int bytes) {
            long record = into.claim(bytes);
            if (ring != into) {
                // A reference store costs a GC barrier with G1, and most packets go to the same ring as the last one.
                ring = into;
                memory = into.memory();
            }
            at = record + ShmRingLayout.RECORD_HEADER_BYTES;
            length = bytes;
            source = localIndex;
            target = targetIndex;
            return record >= 0;
        }

        @Override
        public MemorySegment memory() {
            return memory;
        }

        @Override
        public long at() {
            return at;
        }

        @Override
        public void send() {
            OutboundRing into = Objects.requireNonNull(ring);
            into.commit(at - ShmRingLayout.RECORD_HEADER_BYTES, source, target, length);
            counters.countSent();
            doorbell.sentTo(into);
            into.fetchNext();
        }
    }

    @Override
    public @Nullable ShmPathWriter openPath(int localIndex, LinkAddress destination, int queuePair) {
        HostPeer peer = closed ? null : outbound.peer(destination);
        OutboundRing main = peer == null ? null : peer.ring();
        if (main != null && main.isStateUnknown() && inbox.handover() != null) {
            inbox.handover().take(outbound);
        }
        OutboundRing path = peer == null || main == null ? null : outbound.openPath(main, queuePair);
        return peer == null || main == null || path == null
                ? null
                : new OutboundPath(path, main, doorbell, localIndex, peer.target());
    }

    private boolean isLost(OutboundRing ring) {
        boolean lost = ring.isFullFor(FULL_PATIENCE_NANOS, nanoClock.getAsLong());
        if (lost) {
            counters.countLost();
        }
        return lost;
    }

    @Override
    public void flush() {
        lookedUp = null;
        doorbell.ring();
        udp.flush();
    }

    // ---- in ----

    @Override
    public int poll(int max, LinkPacketHandler handler) {
        if (closed) {
            return 0;
        }
        lookedUp = null;
        int count = inbound.poll(max, handler);
        if (udpSchedule.isDue(count)) {
            int found = udp.poll(Math.max(1, max - count), doorbell.filter(handler));
            udpSchedule.onPolled(found);
            int announced = doorbell.pollAnnouncements();
            count += found - announced;
            if (announced > 0) {
                inbound.look();
                count += inbound.poll(Math.max(1, max - count), handler);
            }
            removeDead();
        }
        return count;
    }

    private void removeDead() {
        long now = udpSchedule.nowNanos();
        if (now - lastStuckCheckNanos >= STUCK_CHECK_NANOS) {
            lastStuckCheckNanos = now;
            outbound.removeDeadStuck();
        }
        if (now - lastQuietCheckNanos >= QUIET_CHECK_NANOS) {
            lastQuietCheckNanos = now;
            outbound.removeDeadQuiet();
            inbound.removeDeadQuiet();
            inbound.look();
            if (memory != null) {
                memory.exchange();
            }
        }
    }

    @Override
    public boolean acceptPaths(ShmPathListener taker) {
        inbound.acceptPaths(taker);
        return true;
    }

    @Override
    public @Nullable PeerMemory peerMemory() {
        return memory;
    }

    // ---- sleep ----

    @Override
    public int[] descriptors() {
        return udp.descriptors();
    }

    @Override
    public int[] bells() {
        return bell == null ? new int[0] : new int[] {bell.descriptor()};
    }

    @Override
    public List<SelectableChannel> channels() {
        return udp.channels();
    }

    @Override
    public boolean prepareSleep() {
        if (closed) {
            return udp.prepareSleep();
        }
        inbox.state().sleep();
        return !inbound.hasNext() && udp.prepareSleep();
    }

    /** {@inheritDoc} The time is limited while there are peers, because no wake-up reports the death of a peer. */
    @Override
    public long longestSleepNanos() {
        boolean alone = outbound.isEmpty() && inbound.isEmpty();
        return alone ? udp.longestSleepNanos() : Math.min(QUIET_CHECK_NANOS, udp.longestSleepNanos());
    }

    @Override
    public void endSleep() {
        if (!closed) {
            inbox.state().wake();
        }
        udpSchedule.wake();
        udp.endSleep();
    }

    // ---- other methods ----

    @Override
    public int port() {
        return udp.port();
    }

    @Override
    public int receiveWindowBytes() {
        return udp.receiveWindowBytes();
    }

    /** Returns whether a peer has passed its state; receives pending messages first. */
    boolean hasPassedState(LinkAddress peer) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring != null && ring.isStateUnknown() && inbox.handover() != null) {
            inbox.handover().take(outbound);
        }
        return ring != null && !ring.isStateUnknown();
    }

    /** Returns the ring to a peer, or null if there is none. */
    @Nullable
    MemorySegment ringTo(LinkAddress peer) {
        OutboundRing ring = outbound.peer(peer).ring();
        return ring == null ? null : ring.memory();
    }

    /** Returns the counters of this link. */
    public HostLinkCounters counters() {
        return counters;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            outbound.close();
            inbound.close();
            ringSource.close();
            inbox.close();
            if (bell != null) {
                bell.close();
            }
            udp.close();
        }
    }
}
