package io.rdmarpc.verbs.soft.ud;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.ShmPathWriter;
import io.rdmarpc.verbs.soft.port.Route;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import org.jspecify.annotations.Nullable;

/**
 * The path of datagrams from one queue pair to another one on this host, with a ring of its own or none yet. The ring
 * is opened after a number of sends. If that fails, it is retried at growing intervals. Used by the sender, except
 * {@link #close}.
 */
final class ShmDatagramPath {

    /** Number of sends from which on a separate ring pays off. */
    private static final int FIRST_SENDS = 16;

    private static final int MAX_SENDS = 1 << 20;

    private final RnicContext rnic;
    private final Route route;
    private final int remoteQpn;
    private @Nullable ShmPathWriter writer;
    private int sendsToOpen = FIRST_SENDS;
    private int pause = FIRST_SENDS;
    private int users;

    ShmDatagramPath(RnicContext rnic, Route route, int remoteQpn) {
        this.rnic = rnic;
        this.route = route;
        this.remoteQpn = remoteQpn;
    }

    boolean leadsTo(Route other, int qpn) {
        LinkAddress own = route.destination();
        LinkAddress there = other.destination();
        return remoteQpn == qpn
                && route.localIndex() == other.localIndex()
                && own.port() == there.port()
                && own.gid().equals(there.gid());
    }

    void addUser() {
        users++;
    }

    void removeUser() {
        users--;
    }

    boolean isUnused() {
        return users == 0;
    }

    /** Returns the ring for a send, or null if there is none at present. */
    @Nullable
    ShmPathWriter writer() {
        ShmPathWriter known = writer;
        return known != null && known.isUsable() ? known : look();
    }

    private @Nullable ShmPathWriter look() {
        if (writer == null && --sendsToOpen > 0) {
            return null;
        }
        rnic.lock();
        try {
            if (writer == null) {
                writer = rnic.link().openPath(route.localIndex(), route.destination(), remoteQpn);
            } else {
                // Its reader has closed it.
                close();
            }
            pause = Math.min(2 * pause, MAX_SENDS);
            sendsToOpen = pause;
            return writer;
        } finally {
            rnic.unlock();
        }
    }

    /** Closes the ring. Under the lock. */
    void close() {
        if (writer != null) {
            writer.close();
            writer = null;
        }
    }
}
