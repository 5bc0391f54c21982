package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.LaneWriter;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lanes from one queue pair to others, by address handle and number. Address handles that lead to the same place share one. It is
 * made when much was sent there, and looked for again, less and less often, when there was none. Used by the one who sends, but for
 * {@link #close}.
 */
final class LaneWays {

    private static final int SMALLEST_TABLE = 8;
    /** Of so few ways those that are closed are found at once, of more when the table is full. */
    private static final int FEW = 64;

    private static final int GOLDEN_RATIO = 0x9E37_79B9;

    private final DomainContext domain;
    private final RnicContext rnic;
    private final AddressHandleTable addressHandles;
    private final List<Way> ways = new ArrayList<>();
    private final List<Target> targets = new ArrayList<>();
    /** At most half full, so that a search ends soon. */
    private @Nullable Way[] table = new Way[SMALLEST_TABLE];

    private @Nullable Way last;

    /**
     * Makes ways of a queue pair.
     *
     * @param domain that of the queue pair
     */
    LaneWays(DomainContext domain, AddressHandleTable addressHandles) {
        this.domain = domain;
        this.rnic = domain.rnic();
        this.addressHandles = addressHandles;
    }

    /** How users of the queue pair call a place where datagrams go. */
    private record Way(SoftAddressHandle handle, int remoteQpn, Target target) {

        private boolean leadsTo(long addressHandle, int qpn) {
            return handle.handle() == addressHandle && remoteQpn == qpn && handle.isOpen();
        }
    }

    /** A queue pair that datagrams go to, with a lane or not. */
    private static final class Target {

        /** Whom less is sent to is not worth a ring of its own. */
        private static final int FIRST_SENDS = 16;

        private static final int MOST_SENDS = 1 << 20;

        private final Route route;
        private final int remoteQpn;
        private @Nullable LaneWriter lane;
        private int sendsToLook = FIRST_SENDS;
        private int pause = FIRST_SENDS;
        private int ways;

        private Target(Route route, int remoteQpn) {
            this.route = route;
            this.remoteQpn = remoteQpn;
        }

        private boolean is(Route other, int qpn) {
            LinkAddress own = route.destination();
            LinkAddress there = other.destination();
            return remoteQpn == qpn
                    && route.localIndex() == other.localIndex()
                    && own.port() == there.port()
                    && own.gid().equals(there.gid());
        }

        private void closeLane() {
            if (lane != null) {
                lane.close();
                lane = null;
            }
        }
    }

    /** Returns a lane that leads to a queue pair and takes datagrams of a length, or null when there is none. */
    @Nullable
    LaneWriter find(long addressHandle, int remoteQpn, int length) {
        Way way = last;
        if (way == null || !way.leadsTo(addressHandle, remoteQpn)) {
            way = search(addressHandle, remoteQpn);
            last = way;
        }
        if (way == null || length > way.handle.mtuBytes()) {
            return null;
        }
        LaneWriter lane = way.target.lane;
        return lane != null && lane.isUsable() ? lane : look(way.target);
    }

    private @Nullable Way search(long addressHandle, int remoteQpn) {
        int slot = slot(addressHandle, remoteQpn);
        for (Way way = table[slot]; way != null; way = table[slot]) {
            if (way.leadsTo(addressHandle, remoteQpn)) {
                return way;
            }
            slot = slot + 1 & table.length - 1;
        }
        return note(addressHandle, remoteQpn);
    }

    private int slot(long addressHandle, int remoteQpn) {
        int hash = (31 * remoteQpn + (int) addressHandle) * GOLDEN_RATIO;
        return hash >>> Integer.numberOfLeadingZeros(table.length - 1);
    }

    private @Nullable Way note(long addressHandle, int remoteQpn) {
        rnic.lock();
        try {
            SoftAddressHandle handle = addressHandles.find(addressHandle);
            if (handle == null || handle.domain() != domain) {
                return null;
            }
            Way way = new Way(handle, remoteQpn, target(handle.route(), remoteQpn));
            way.target.ways++;
            ways.add(way);
            if (ways.size() < FEW || 2 * ways.size() > table.length) {
                dropClosed();
                table = new Way[Math.max(SMALLEST_TABLE, 4 * Integer.highestOneBit(ways.size()))];
                ways.forEach(this::put);
            } else {
                put(way);
            }
            return way;
        } finally {
            rnic.unlock();
        }
    }

    private Target target(Route route, int remoteQpn) {
        for (Target target : targets) {
            if (target.is(route, remoteQpn)) {
                return target;
            }
        }
        Target target = new Target(route, remoteQpn);
        targets.add(target);
        return target;
    }

    private void put(Way way) {
        int slot = slot(way.handle.handle(), way.remoteQpn);
        while (table[slot] != null) {
            slot = slot + 1 & table.length - 1;
        }
        table[slot] = way;
    }

    private void dropClosed() {
        for (int i = ways.size() - 1; i >= 0; i--) {
            if (!ways.get(i).handle.isOpen()) {
                ways.remove(i).target.ways--;
            }
        }
        for (int i = targets.size() - 1; i >= 0; i--) {
            if (targets.get(i).ways == 0) {
                targets.remove(i).closeLane();
            }
        }
    }

    private @Nullable LaneWriter look(Target target) {
        if (target.lane == null && --target.sendsToLook > 0) {
            return null;
        }
        rnic.lock();
        try {
            if (target.lane == null) {
                Route route = target.route;
                target.lane = rnic.link().openLane(route.localIndex(), route.destination(), target.remoteQpn);
            } else {
                // Its reader has given it up.
                target.closeLane();
            }
            target.pause = Math.min(2 * target.pause, Target.MOST_SENDS);
            target.sendsToLook = target.pause;
            return target.lane;
        } finally {
            rnic.unlock();
        }
    }

    /** Ends the use of all. Under the lock. */
    void close() {
        targets.forEach(Target::closeLane);
        targets.clear();
        ways.clear();
        table = new Way[SMALLEST_TABLE];
        last = null;
    }
}
