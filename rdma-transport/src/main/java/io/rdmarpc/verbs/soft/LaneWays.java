package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.LaneWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lanes from one queue pair to others, by address handle and number. One is made when much was sent there, and looked for
 * again, less and less often, when there was none. Used by the one who sends, but for {@link #close}.
 */
final class LaneWays {

    /** Whom less is sent to is not worth a ring of its own. */
    private static final int FIRST_SENDS = 16;

    private static final int MOST_SENDS = 1 << 20;
    private static final int SMALLEST_TABLE = 8;
    private static final int GOLDEN_RATIO = 0x9E37_79B9;

    private final UdQueuePair qp;
    private final List<Way> ways = new ArrayList<>();
    /** At most half full, so that a search ends soon. */
    private @Nullable Way[] table = new Way[SMALLEST_TABLE];

    private @Nullable Way last;

    LaneWays(UdQueuePair qp) {
        this.qp = qp;
    }

    /** A way, with a lane or not. */
    private static final class Way {

        private final SoftAddressHandle handle;
        private final int remoteQpn;
        private @Nullable LaneWriter lane;
        private int sendsToLook = FIRST_SENDS;
        private int pause = FIRST_SENDS;

        private Way(SoftAddressHandle handle, int remoteQpn) {
            this.handle = handle;
            this.remoteQpn = remoteQpn;
        }

        private boolean leadsTo(long addressHandle, int qpn) {
            return handle.handle() == addressHandle && remoteQpn == qpn && handle.isOpen();
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
        LaneWriter lane = way.lane;
        return lane != null && lane.isUsable() ? lane : look(way);
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
        qp.rnic().lock();
        try {
            closeUnused();
            SoftAddressHandle handle = qp.rnic().addressHandles().find(addressHandle);
            if (handle == null || handle.domain() != qp.domain()) {
                return null;
            }
            Way way = new Way(handle, remoteQpn);
            ways.add(way);
            fillTable();
            return way;
        } finally {
            qp.rnic().unlock();
        }
    }

    private void fillTable() {
        table = new Way[Math.max(SMALLEST_TABLE, Integer.highestOneBit(4 * ways.size() - 1))];
        for (Way way : ways) {
            int slot = slot(way.handle.handle(), way.remoteQpn);
            while (table[slot] != null) {
                slot = slot + 1 & table.length - 1;
            }
            table[slot] = way;
        }
    }

    private void closeUnused() {
        for (int i = ways.size() - 1; i >= 0; i--) {
            if (!ways.get(i).handle.isOpen()) {
                close(ways.remove(i));
            }
        }
    }

    private @Nullable LaneWriter look(Way way) {
        if (way.lane == null && --way.sendsToLook > 0) {
            return null;
        }
        qp.rnic().lock();
        try {
            if (way.lane == null) {
                way.lane = qp.rnic()
                        .link()
                        .openLane(
                                way.handle.route().localIndex(),
                                way.handle.route().destination(),
                                way.remoteQpn);
            } else {
                // Its reader has given it up.
                close(way);
            }
            way.pause = Math.min(2 * way.pause, MOST_SENDS);
            way.sendsToLook = way.pause;
            return way.lane;
        } finally {
            qp.rnic().unlock();
        }
    }

    private static void close(Way way) {
        if (way.lane != null) {
            way.lane.close();
            way.lane = null;
        }
    }

    /** Ends the use of all. Under the lock. */
    void close() {
        ways.forEach(LaneWays::close);
        ways.clear();
        table = new Way[SMALLEST_TABLE];
        last = null;
    }
}
