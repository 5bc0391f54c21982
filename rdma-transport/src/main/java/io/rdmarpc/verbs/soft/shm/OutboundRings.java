package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.Bell;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.layout.HostAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The rings to all peers on this host. All addresses of a peer share one ring. */
final class OutboundRings implements Handover.Peers, AutoCloseable {

    private static final long NO_ROOM_PAUSE_NANOS = 10_000_000_000L;

    private final Rendezvous rendezvous;
    private final RingSource source;
    private final LongSupplier nanoClock;
    private final HostLinkCounters counters;
    private final List<OutboundRing> rings = new ArrayList<>();
    private final Set<String> rejectedBy = new HashSet<>();
    /** Inboxes that rejected a ring for lack of room, with the time of the next attempt. */
    private final Map<String, Long> rejectedUntil = new HashMap<>();

    OutboundRings(Rendezvous rendezvous, RingSource source, LongSupplier nanoClock, HostLinkCounters counters) {
        this.rendezvous = rendezvous;
        this.source = source;
        this.nanoClock = nanoClock;
        this.counters = counters;
    }

    /** Returns the state of a destination, whose ring is usable or null. */
    HostPeer peer(LinkAddress destination) {
        HostPeer peer =
                destination.note() instanceof HostPeer known && known.owner() == this ? known : note(destination);
        OutboundRing ring = peer.ring();
        if (ring == null || !ring.isUsable()) {
            findRing(peer, destination);
        }
        return peer;
    }

    Path inbox(String name) {
        return rendezvous.inbox(name);
    }

    private HostPeer note(LinkAddress destination) {
        HostPeer peer = new HostPeer(this);
        destination.note(peer);
        return peer;
    }

    private void findRing(HostPeer peer, LinkAddress destination) {
        OutboundRing old = peer.ring();
        if (old != null) {
            peer.disconnect();
            remove(old);
        }
        if (!peer.isTimeToLook(nanoClock.getAsLong())) {
            return;
        }
        Rendezvous.Entry found = rendezvous.find(HostAddress.text(destination), destination.port());
        if (found != null && !isRejectedBy(found.inbox())) {
            connect(peer, destination, found);
        }
    }

    private boolean isRejectedBy(String inbox) {
        Long until = rejectedUntil.get(inbox);
        if (until != null && nanoClock.getAsLong() - until >= 0) {
            rejectedUntil.remove(inbox);
        }
        return rejectedBy.contains(inbox) || rejectedUntil.containsKey(inbox);
    }

    private void connect(HostPeer peer, LinkAddress destination, Rendezvous.Entry found) {
        OutboundRing ring = ringTo(found.inbox(), destination);
        if (ring != null && found.index() < ring.targets()) {
            peer.connect(ring, found.index());
        }
    }

    private @Nullable OutboundRing ringTo(String inbox, LinkAddress destination) {
        OutboundRing known = ringTo(inbox);
        if (known != null) {
            return known;
        }
        if (PeerLiveness.isDead(rendezvous, inbox)) {
            rendezvous.removeInbox(inbox);
            return null;
        }
        try {
            OutboundRing ring = OutboundRing.create(rendezvous.inbox(inbox), source, destination);
            rings.add(ring);
            return ring;
        } catch (IOException e) {
            return null; // The peer is gone, or there is not enough memory: use UDP.
        }
    }

    /** Creates an additional ring for a queue pair of the receiver, owned by the caller; null if that fails. */
    @Nullable
    OutboundRing openPath(OutboundRing main, int queuePair) {
        try {
            return main.createPath(source, queuePair);
        } catch (IOException e) {
            return null; // The peer is gone, or there is not enough memory.
        }
    }

    private @Nullable OutboundRing ringTo(String inbox) {
        for (OutboundRing ring : rings) {
            if (ring.receiver().equals(inbox)) {
                return ring;
            }
        }
        return null;
    }

    @Override
    public @Nullable PeerPages pagesOf(String inbox) {
        OutboundRing ring = ringTo(inbox);
        return ring == null ? null : ring.pages();
    }

    @Override
    public boolean acceptBell(String inbox, int ticket, Bell.Ringer bell) {
        OutboundRing ring = ringTo(inbox);
        return ring != null && ring.acceptBell(ticket, bell);
    }

    @Override
    public boolean acceptState(String inbox, int ticket, MemFd state) {
        OutboundRing ring = ringTo(inbox);
        return ring != null && ring.acceptState(ticket, state);
    }

    /** Notifies all peers that received pages that these are freed; false if a peer cannot receive now. */
    boolean unshare(Handover handover, int number) {
        boolean allNotified = true;
        for (OutboundRing ring : rings) {
            if (ring.hasShared(number)) {
                if (handover.notifyFreed(ring.inbox(), number)) {
                    ring.unshare(number);
                } else {
                    allNotified = false;
                }
            }
        }
        return allNotified;
    }

    /** Replaces a key for all peers to which it was granted. */
    void renew(int key, int fresh) {
        for (int i = 0; i < rings.size(); i++) {
            rings.get(i).renew(key, fresh);
        }
    }

    /** Revokes a key for all peers to which it was granted. */
    void revoke(int key) {
        for (int i = 0; i < rings.size(); i++) {
            rings.get(i).revoke(key);
        }
    }

    /** Revokes all keys granted to a peer; false if none were granted. */
    boolean revokeAll(String inbox) {
        OutboundRing ring = ringTo(inbox);
        return ring != null && ring.revokeAll();
    }

    private void remove(OutboundRing ring) {
        if (rings.remove(ring)) {
            if (ring.hasNoRoom()) {
                rejectedUntil.put(ring.receiver(), nanoClock.getAsLong() + NO_ROOM_PAUSE_NANOS);
            } else if (ring.isAbandoned()) {
                counters.countBrokenRing();
                rejectedBy.add(ring.receiver());
            }
            ring.close();
        }
    }

    boolean isEmpty() {
        return rings.isEmpty();
    }

    /** Removes dead peers whose rings are stuck. */
    void removeDeadStuck() {
        for (int i = rings.size() - 1; i >= 0; i--) {
            OutboundRing ring = rings.get(i);
            if (ring.isStuck()) {
                // The peer may not know this ring, because the announcement can be lost.
                ring.announceAgain();
                removeIfDead(ring);
            }
        }
    }

    /** Removes dead peers to which nothing was sent recently. */
    void removeDeadQuiet() {
        for (int i = rings.size() - 1; i >= 0; i--) {
            if (rings.get(i).isQuiet()) {
                removeIfDead(rings.get(i));
            }
        }
    }

    private void removeIfDead(OutboundRing ring) {
        if (PeerLiveness.isDead(rendezvous, ring.receiver())) {
            counters.countLostPeer();
            remove(ring);
            rendezvous.removeInbox(ring.receiver());
        }
    }

    @Override
    public void close() {
        rings.forEach(OutboundRing::close);
        rings.clear();
    }
}
