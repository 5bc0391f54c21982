package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.ShmPathListener;
import io.rdmarpc.verbs.soft.link.ShmPathReader;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rings of all senders to this process. They are read round-robin, so that none starves another. */
final class InboundRings implements AutoCloseable {

    private static final int PACKETS_PER_RUN = 16;

    private final Rendezvous rendezvous;
    private final Inbox inbox;
    private final Handover.Peers peers;
    private final RingBudget budget;
    private final HostLinkCounters counters;
    private final List<InboundRing> rings = new ArrayList<>();
    private final List<InboundPath> paths = new ArrayList<>();
    private @Nullable ShmPathListener pathListener;
    private final PacketBuffer received = PacketBuffer.withoutIcrc();
    private Predicate<InboundRing> newRingHandler = ring -> true;
    private Predicate<String> endGrants = inbox -> false;

    /** Abandoned rings whose senders are still copying: at most one for each sender. */
    private final List<InboundRing> held = new ArrayList<>();

    private int next;

    InboundRings(
            Rendezvous rendezvous, Inbox inbox, Handover.Peers peers, RingBudget budget, HostLinkCounters counters) {
        this.rendezvous = rendezvous;
        this.budget = budget;
        this.inbox = inbox;
        this.peers = peers;
        this.counters = counters;
    }

    /**
     * Sets the handler of new rings.
     *
     * @param handler called for each new ring, and again later if it returns false
     */
    void onNewRing(Predicate<InboundRing> handler) {
        newRingHandler = handler;
    }

    /**
     * Sets the function that revokes all grants of a sender whose ring is abandoned. Without the revocation the sender
     * could copy without being noticed.
     *
     * @param ender called with the sender's inbox; returns whether it had any grants
     */
    void endGrantsBy(Predicate<String> ender) {
        endGrants = ender;
    }

    /** Sets the listener that assigns paths to their target queue pairs. */
    void acceptPaths(ShmPathListener taker) {
        pathListener = taker;
    }

    int poll(int max, LinkPacketHandler handler) {
        if (inbox.hasNewRings()) {
            look();
        }
        int count = rings.size() == 1 ? poll(rings.getFirst(), max, handler) : pollRoundRobin(max, handler);
        counters.countReceived(count);
        return count;
    }

    private int pollRoundRobin(int max, LinkPacketHandler handler) {
        int count = 0;
        int empty = 0;
        while (count < max && empty < rings.size()) {
            next = next + 1 < rings.size() ? next + 1 : 0;
            int taken = poll(rings.get(next), Math.min(max - count, PACKETS_PER_RUN), handler);
            count += taken;
            empty = taken > 0 ? 0 : empty + 1;
        }
        return count;
    }

    private int poll(InboundRing ring, int max, LinkPacketHandler handler) {
        int taken = ring.poll(max, handler, received);
        if (taken < 0) {
            discard(ring);
        } else if (ring.reader().pollAnnouncement()) {
            look();
        }
        return Math.max(0, taken);
    }

    private void discard(InboundRing ring) {
        counters.countBrokenRing();
        if (ring.isTorn()) {
            budget.warn(
                    ring.sender(),
                    "A peer on this host, with the inbox " + ring.sender()
                            + ", has shortened a file that this process has mapped. The software RNIC now uses"
                            + " UDP to reach it. Start both processes with --enable-native-access to use memory"
                            + " that cannot be shortened.");
        }
        rings.remove(ring);
        ring.abandon();
        // The sender begins no copy after this. A copy that has begun is visible here.
        boolean granted = endGrants.test(ring.sender());
        if (granted && ring.pinned() != 0) {
            hold(ring);
        } else {
            ring.close();
        }
    }

    private void hold(InboundRing ring) {
        for (int i = 0; i < held.size(); i++) {
            if (held.get(i).sender().equals(ring.sender())) {
                ring.close();
                return;
            }
        }
        held.add(ring);
    }

    /** Reads the inbox, which costs a system call. */
    void look() {
        for (InboundRing ring : inbox.newRings(peers)) {
            if (!isTaken(ring)) {
                counters.countRing();
                rings.add(ring);
            }
        }
        for (int i = 0; i < rings.size(); i++) {
            InboundRing ring = rings.get(i);
            if (!ring.isInitialized() && (ring.targetQpn() != 0 || newRingHandler.test(ring))) {
                ring.markInitialized();
            }
        }
    }

    /** Passes a path to the listener. Its sender is known, because it has a ring for all other packets. */
    private boolean isTaken(InboundRing ring) {
        if (pathListener == null || ring.targetQpn() == 0) {
            return false;
        }
        InboundPath path = new InboundPath(ring, this);
        if (!pathListener.take(ring.targetQpn(), path)) {
            return false;
        }
        counters.countPath();
        return paths.add(path);
    }

    /** Removes a path that its reader has closed. */
    void forget(ShmPathReader path) {
        paths.remove(path);
    }

    /** Returns whether a ring has a packet, or a path has one whose queue pair has requested a notification. */
    boolean hasNext() {
        if (inbox.hasNewRings() || (pathListener != null && pathListener.isAwaited())) {
            return true;
        }
        for (int i = 0; i < rings.size(); i++) {
            if (rings.get(i).hasNext()) {
                return true;
            }
        }
        return false;
    }

    /** Returns the rings of senders that are copying with a key that was just revoked, or null if there are none. */
    @Nullable
    PinnedRings pinnedBy(int key) {
        look();
        List<InboundRing> found = pinnedBy(key, held, pinnedBy(key, rings, List.of()));
        return found.isEmpty() ? null : new PinnedRings(this, key, found);
    }

    private static List<InboundRing> pinnedBy(int key, List<InboundRing> among, List<InboundRing> found) {
        List<InboundRing> all = found;
        for (int i = 0; i < among.size(); i++) {
            if (among.get(i).isPinned(key)) {
                all = all.isEmpty() ? new ArrayList<>() : all;
                all.add(among.get(i));
            }
        }
        return all;
    }

    boolean isDead(InboundRing ring) {
        return PeerLiveness.isDead(rendezvous, ring.sender());
    }

    /**
     * Abandons the ring of a sender that has stopped during its copy. The ring stays mapped, so that the end of the
     * copy is visible.
     */
    void abandonPinned(InboundRing ring) {
        if (rings.remove(ring)) {
            counters.countOverduePin();
            counters.countBrokenRing();
            ring.abandon();
            boolean ignored = endGrants.test(ring.sender());
            hold(ring);
        }
    }

    /** Closes abandoned rings whose senders have ended their copies, or are dead. */
    private void removeUnpinned() {
        for (int i = held.size() - 1; i >= 0; i--) {
            InboundRing ring = held.get(i);
            if (ring.pinned() == 0 || isDead(ring)) {
                held.remove(i);
                ring.close();
            }
        }
    }

    boolean isEmpty() {
        return rings.isEmpty() && held.isEmpty();
    }

    /** Closes the rings of dead senders after their last packets were read, and rings with invalid content. */
    void removeDeadQuiet() {
        for (int i = rings.size() - 1; i >= 0; i--) {
            InboundRing ring = rings.get(i);
            if (!ring.isQuiet()) {
                continue;
            }
            if (ring.isStalled()) {
                discard(ring);
            } else if (ring.hasEnded()) {
                rings.remove(ring);
                ring.close();
            } else if (PeerLiveness.isDead(rendezvous, ring.sender())) {
                removeDead(ring);
            }
        }
        removeUnpinned();
        removeEndedPaths();
    }

    private void removeEndedPaths() {
        for (int i = paths.size() - 1; i >= 0; i--) {
            InboundPath path = paths.get(i);
            if (path.ring().isQuiet() && isOver(path)) {
                lose(path);
            }
        }
    }

    private boolean isOver(InboundPath path) {
        return path.isBroken()
                || path.ring().hasEnded()
                || PeerLiveness.isDead(rendezvous, path.ring().sender());
    }

    private void lose(InboundPath path) {
        if (path.isBroken()) {
            counters.countBrokenRing();
        }
        paths.remove(path);
        Objects.requireNonNull(pathListener).lose(path);
    }

    private void removeDead(InboundRing ring) {
        counters.countLostPeer();
        rings.remove(ring);
        ring.close();
        rendezvous.removeInbox(ring.sender());
    }

    /**
     * Closes all rings. Rings whose senders are copying stay mapped, because threads that wait for these copies read
     * them.
     */
    @Override
    public void close() {
        rings.forEach(InboundRing::close);
        rings.clear();
        removeUnpinned();
        List.copyOf(paths).forEach(InboundPath::close);
    }
}
