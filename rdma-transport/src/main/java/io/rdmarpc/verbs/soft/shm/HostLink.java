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
 * Packets to peers of this host through shared memory, all others through the link that it wraps. Peers are found when
 * something is sent to them, see {@link Rendezvous}; one that cannot be reached through memory, or no more, is reached by
 * the wrapped link.
 *
 * <p>A ring that stays full for long loses what is sent into it, as a socket's buffer would: who does not poll must not hold
 * up what is sent to others.
 */
public final class HostLink implements PacketLink {

    private static final long FULL_PATIENCE_NANOS = 20_000_000;
    private static final long STUCK_LOOK_NANOS = 100_000_000;
    private static final long QUIET_LOOK_NANOS = 1_000_000_000;

    private final PacketLink udp;
    private final Inbox inbox;
    private final OutboundRings outbound;
    private final InboundRings inbound;
    private final RingSource ringSource;
    private final @Nullable HostMemory memory;
    private final Doorbell doorbell;
    private final @Nullable Bell bell;
    private final UdpTurns udpTurns;
    private final LongSupplier nanoClock;
    private final HostLinkCounters counters;
    private final Room room = new Room();
    private long lastStuckLookNanos;
    private long lastQuietLookNanos;
    private @Nullable LinkAddress lookedUp;
    private @Nullable HostPeer peerThere;
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
        this.bell = handover == null ? null : makeBell(udp);
        inbound.welcome(this::welcome);
        inbound.endGrantsBy(outbound::revokeAll);
        this.doorbell = new Doorbell(udp, counters, this::lookForHandovers);
        this.udpTurns = new UdpTurns(nanoClock);
        this.lastStuckLookNanos = nanoClock.getAsLong();
        this.lastQuietLookNanos = lastStuckLookNanos;
    }

    /**
     * Wraps a link, when there is shared memory; else returns that link.
     *
     * @param udp closed with this one
     * @param addresses own addresses in the order of their indexes
     * @param options how large the rings are; whether to wrap at all
     */
    public static PacketLink around(
            PacketLink udp, List<? extends InetAddress> addresses, SharedMemoryOptions options) {
        boolean wanted = options.enabled() && addresses.size() <= ShmRingLayout.MOST_ADDRESSES;
        return wanted ? around(udp, addresses, options, Rendezvous.PARENT) : udp;
    }

    static PacketLink around(
            PacketLink udp, List<? extends InetAddress> addresses, SharedMemoryOptions options, Path parent) {
        try {
            return open(udp, addresses, options, parent);
        } catch (IOException | UnsupportedOperationException e) {
            System.getLogger(HostLink.class.getName())
                    .log(Level.DEBUG, "Peers on this host are reached by UDP, shared memory cannot be used: {0}", e);
            return udp;
        }
    }

    /** Wraps a link, or fails. */
    static HostLink open(
            PacketLink udp, List<? extends InetAddress> addresses, SharedMemoryOptions options, Path parent)
            throws IOException {
        return open(udp, addresses, options, parent, NativeAccess.isGranted(), System::nanoTime);
    }

    /** Wraps a link that passes memory without a name or not, or fails. */
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

    /** Makes what peers wake this end by. An end that sleeps on channels cannot sleep at a bell, and is sent datagrams. */
    private static @Nullable Bell makeBell(PacketLink udp) {
        try {
            return udp.channels().isEmpty() ? Bell.open("shared memory") : null;
        } catch (RdmaVerbsException e) {
            return null; // Too many descriptors are open.
        }
    }

    /** Hands over what a peer needs that has put a ring here; false when some of it is to be handed over later. */
    private boolean welcome(InboundRing ring) {
        Handover handover = inbox.handover();
        if (handover == null) {
            return true;
        }
        Path peer = outbound.inbox(ring.sender());
        if (ring.lacks(Handover.STATE) && inbox.shareState(ring)) {
            ring.handedOver(Handover.STATE);
        }
        if (ring.lacks(Handover.BELL) && (bell == null || handover.offerBell(peer, ring.ticket(), bell))) {
            ring.handedOver(Handover.BELL);
        }
        return !ring.lacks(Handover.STATE) && !ring.lacks(Handover.BELL);
    }

    private void lookForHandovers() {
        if (memory != null) {
            memory.lookForHandovers();
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
        peerThere = peer;
        return peer.ring() != null;
    }

    /** What was found for {@link #isIntact} holds for the packet that is sent right after it. */
    @SuppressWarnings("ReferenceEquality") // that very address
    private HostPeer peer(LinkAddress destination) {
        HostPeer known = destination == lookedUp ? peerThere : null;
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

    /** The record that the next packet is written into. */
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
                // To store a reference costs a fence with G1, and most packets go where the last one went.
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
        if (main != null && main.isUnanswered() && inbox.handover() != null) {
            inbox.handover().take(outbound);
        }
        OutboundRing path = peer == null || main == null ? null : outbound.pathBeside(main, queuePair);
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
        if (udpTurns.isDue(count)) {
            int found = udp.poll(Math.max(1, max - count), doorbell.filter(handler));
            udpTurns.looked(found);
            int looks = doorbell.takeLooks();
            count += found - looks;
            if (looks > 0) {
                inbound.look();
                count += inbound.poll(Math.max(1, max - count), handler);
            }
            removeDead();
        }
        return count;
    }

    private void removeDead() {
        long now = udpTurns.nowNanos();
        if (now - lastStuckLookNanos >= STUCK_LOOK_NANOS) {
            lastStuckLookNanos = now;
            outbound.removeDeadStuck();
        }
        if (now - lastQuietLookNanos >= QUIET_LOOK_NANOS) {
            lastQuietLookNanos = now;
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

    /** Nobody rings for a peer that has died. */
    @Override
    public long longestSleepNanos() {
        boolean alone = outbound.isEmpty() && inbound.isEmpty();
        return alone ? udp.longestSleepNanos() : Math.min(QUIET_LOOK_NANOS, udp.longestSleepNanos());
    }

    @Override
    public void endSleep() {
        if (!closed) {
            inbox.state().wake();
        }
        udpTurns.wake();
        udp.endSleep();
    }

    // ---- the rest ----

    @Override
    public int port() {
        return udp.port();
    }

    @Override
    public int receiveWindowBytes() {
        return udp.receiveWindowBytes();
    }

    /** Tells whether a peer has said whether it sleeps, and looks whether it has just now. */
    boolean isAnsweredBy(LinkAddress peer) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring != null && ring.isUnanswered() && inbox.handover() != null) {
            inbox.handover().take(outbound);
        }
        return ring != null && !ring.isUnanswered();
    }

    /** Returns the ring to a peer, or null when there is none. */
    @Nullable
    MemorySegment ringTo(LinkAddress peer) {
        OutboundRing ring = outbound.peer(peer).ring();
        return ring == null ? null : ring.memory();
    }

    /** Returns what this link has done. */
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
