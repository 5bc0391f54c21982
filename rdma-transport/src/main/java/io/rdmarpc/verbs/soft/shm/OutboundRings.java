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

/** The rings to all peers on this host. Several addresses of a peer share one. */
final class OutboundRings implements Handover.Peers, AutoCloseable {

    private static final long NO_ROOM_PAUSE_NANOS = 10_000_000_000L;

    private final Rendezvous rendezvous;
    private final RingSource source;
    private final LongSupplier nanoClock;
    private final HostLinkCounters counters;
    private final List<OutboundRing> rings = new ArrayList<>();
    private final Set<String> refused = new HashSet<>();
    /** Those that had no room, and when they may have some again. */
    private final Map<String, Long> refusedUntil = new HashMap<>();

    OutboundRings(Rendezvous rendezvous, RingSource source, LongSupplier nanoClock, HostLinkCounters counters) {
        this.rendezvous = rendezvous;
        this.source = source;
        this.nanoClock = nanoClock;
        this.counters = counters;
    }

    /** Returns what is known about a destination; its ring is usable or null. */
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
        if (found != null && !isRefusedBy(found.inbox())) {
            connect(peer, destination, found);
        }
    }

    private boolean isRefusedBy(String inbox) {
        Long until = refusedUntil.get(inbox);
        if (until != null && nanoClock.getAsLong() - until >= 0) {
            refusedUntil.remove(inbox);
        }
        return refused.contains(inbox) || refusedUntil.containsKey(inbox);
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
            return null; // It has gone meanwhile, or there is no memory: by UDP.
        }
    }

    /** Makes a ring beside one that is in use, for a queue pair of its receiver; to be closed by the caller. Null when there is none. */
    @Nullable
    OutboundRing pathBeside(OutboundRing main, int queuePair) {
        try {
            return main.createPath(source, queuePair);
        } catch (IOException e) {
            return null; // The peer has gone meanwhile, or there is no memory.
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
    public boolean takeBell(String inbox, int ticket, Bell.Ringer bell) {
        OutboundRing ring = ringTo(inbox);
        return ring != null && ring.takeBell(ticket, bell);
    }

    @Override
    public boolean takeState(String inbox, int ticket, MemFd state) {
        OutboundRing ring = ringTo(inbox);
        return ring != null && ring.takeState(ticket, state);
    }

    /** Tells all who were given pages that these are freed; false when one cannot take that now. */
    boolean unshare(Handover handover, int number) {
        boolean told = true;
        for (OutboundRing ring : rings) {
            if (ring.hasShared(number)) {
                if (handover.tellFreed(ring.inbox(), number)) {
                    ring.unshare(number);
                } else {
                    told = false;
                }
            }
        }
        return told;
    }

    /** Has another key stand for the memory of one, for all that were granted it. */
    void renew(int key, int fresh) {
        for (int i = 0; i < rings.size(); i++) {
            rings.get(i).renew(key, fresh);
        }
    }

    /** Ends a key for all that were granted it. */
    void revoke(int key) {
        for (int i = 0; i < rings.size(); i++) {
            rings.get(i).revoke(key);
        }
    }

    /** Ends all keys that a peer was granted; false when it was granted none. */
    boolean revokeAll(String inbox) {
        OutboundRing ring = ringTo(inbox);
        return ring != null && ring.revokeAll();
    }

    private void remove(OutboundRing ring) {
        if (rings.remove(ring)) {
            if (ring.hasNoRoom()) {
                refusedUntil.put(ring.receiver(), nanoClock.getAsLong() + NO_ROOM_PAUSE_NANOS);
            } else if (ring.isGivenUp()) {
                counters.countBrokenRing();
                refused.add(ring.receiver());
            }
            ring.close();
        }
    }

    boolean isEmpty() {
        return rings.isEmpty();
    }

    /** Lets go of those who take nothing because they are dead. */
    void removeDeadStuck() {
        for (int i = rings.size() - 1; i >= 0; i--) {
            OutboundRing ring = rings.get(i);
            if (ring.isStuck()) {
                // It may not know of this ring: what says so can be lost.
                ring.announceAgain();
                removeIfDead(ring);
            }
        }
    }

    /** Lets go of those who were sent nothing and are dead. */
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
