package io.rdmarpc.verbs.soft.ud;

import io.rdmarpc.verbs.soft.domain.AddressHandleTable;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.domain.SoftAddressHandle;
import io.rdmarpc.verbs.soft.link.ShmPathWriter;
import io.rdmarpc.verbs.soft.port.Route;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shared-memory paths from one queue pair to others, by address handle and queue pair number. Address handles with
 * the same destination share a path. Used by the sender, except {@link #close}.
 */
final class ShmPathCache {

    private static final int SMALLEST_TABLE = 8;
    /**
     * Below this size each insertion removes the entries of closed address handles. Otherwise only an insertion into a
     * full table does.
     */
    private static final int FEW = 64;

    private static final int GOLDEN_RATIO = 0x9E37_79B9;

    private final DomainContext domain;
    private final RnicContext rnic;
    private final AddressHandleTable addressHandles;
    private final List<Entry> entries = new ArrayList<>();
    private final List<ShmDatagramPath> paths = new ArrayList<>();
    /** Hash table with open addressing, at most half full. */
    private @Nullable Entry[] table = new Entry[SMALLEST_TABLE];

    private @Nullable Entry last;

    /**
     * Creates the cache of a queue pair.
     *
     * @param domain the protection domain of the queue pair
     */
    ShmPathCache(DomainContext domain, AddressHandleTable addressHandles) {
        this.domain = domain;
        this.rnic = domain.rnic();
        this.addressHandles = addressHandles;
    }

    /** A destination as users of the queue pair address it. */
    private record Entry(SoftAddressHandle handle, int remoteQpn, ShmDatagramPath path) {

        private boolean leadsTo(long addressHandle, int qpn) {
            return handle.handle() == addressHandle && remoteQpn == qpn && handle.isOpen();
        }
    }

    /** Returns the ring to a queue pair for a datagram of a length, or null if there is none. */
    @Nullable
    ShmPathWriter find(long addressHandle, int remoteQpn, int length) {
        Entry entry = last;
        if (entry == null || !entry.leadsTo(addressHandle, remoteQpn)) {
            entry = search(addressHandle, remoteQpn);
            last = entry;
        }
        if (entry == null || length > entry.handle.mtuBytes()) {
            return null;
        }
        return entry.path.writer();
    }

    private @Nullable Entry search(long addressHandle, int remoteQpn) {
        int slot = slot(addressHandle, remoteQpn);
        for (Entry entry = table[slot]; entry != null; entry = table[slot]) {
            if (entry.leadsTo(addressHandle, remoteQpn)) {
                return entry;
            }
            slot = slot + 1 & table.length - 1;
        }
        return note(addressHandle, remoteQpn);
    }

    private int slot(long addressHandle, int remoteQpn) {
        int hash = (31 * remoteQpn + (int) addressHandle) * GOLDEN_RATIO;
        return hash >>> Integer.numberOfLeadingZeros(table.length - 1);
    }

    private @Nullable Entry note(long addressHandle, int remoteQpn) {
        rnic.lock();
        try {
            SoftAddressHandle handle = addressHandles.find(addressHandle);
            if (handle == null || handle.domain() != domain) {
                return null;
            }
            Entry entry = new Entry(handle, remoteQpn, path(handle.route(), remoteQpn));
            entry.path.addUser();
            entries.add(entry);
            if (entries.size() < FEW || 2 * entries.size() > table.length) {
                dropClosed();
                table = new Entry[Math.max(SMALLEST_TABLE, 4 * Integer.highestOneBit(entries.size()))];
                entries.forEach(this::put);
            } else {
                put(entry);
            }
            return entry;
        } finally {
            rnic.unlock();
        }
    }

    private ShmDatagramPath path(Route route, int remoteQpn) {
        for (ShmDatagramPath path : paths) {
            if (path.leadsTo(route, remoteQpn)) {
                return path;
            }
        }
        ShmDatagramPath path = new ShmDatagramPath(rnic, route, remoteQpn);
        paths.add(path);
        return path;
    }

    private void put(Entry entry) {
        int slot = slot(entry.handle.handle(), entry.remoteQpn);
        while (table[slot] != null) {
            slot = slot + 1 & table.length - 1;
        }
        table[slot] = entry;
    }

    private void dropClosed() {
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (!entries.get(i).handle.isOpen()) {
                entries.remove(i).path.removeUser();
            }
        }
        for (int i = paths.size() - 1; i >= 0; i--) {
            if (paths.get(i).isUnused()) {
                paths.remove(i).close();
            }
        }
    }

    /** Closes all paths. Under the lock. */
    void close() {
        paths.forEach(ShmDatagramPath::close);
        paths.clear();
        entries.clear();
        table = new Entry[SMALLEST_TABLE];
        last = null;
    }
}
