package io.rdmarpc.verbs.soft.ud;

import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import io.rdmarpc.verbs.soft.domain.AddressHandleTable;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.ShmPathReader;
import io.rdmarpc.verbs.soft.link.ShmPathWriter;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.rnic.ShmChannelCounts;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Deth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.Psn;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The shared-memory paths to and from one queue pair. Packets have the same format as on the network, so that packets
 * that this channel cannot accept are handled like any other packet. Its user takes the RNIC's lock only to add or
 * remove paths, and to wake a peer.
 */
final class UdShmChannel implements ShmDatagramChannel {

    private static final ShmPathReader[] NONE = {};

    private final UdQueuePair qp;
    private final RnicContext rnic;
    private final LinkPacketHandler receiver;

    // Used by the channel's user only.
    private final ShmPathCache paths;
    private final ShmChannelCounts counts;
    private @Nullable ShmPathWriter[] unflushed = new ShmPathWriter[1];
    private int unflushedCount;
    private @Nullable SoftMemoryRegion lastRegion;
    private ShmPathReader[] known = NONE;
    private int next;
    private int psn;

    // Written under the lock.
    private volatile ShmPathReader[] readers = NONE;
    private final List<ShmPathReader> lost = new ArrayList<>();

    /**
     * Creates a channel without paths.
     *
     * @param receiver handler of packets that the channel cannot accept
     */
    UdShmChannel(UdQueuePair qp, AddressHandleTable addressHandles, LinkPacketHandler receiver) {
        this.qp = qp;
        this.rnic = qp.rnic();
        this.receiver = receiver;
        this.paths = new ShmPathCache(qp.domain(), addressHandles);
        this.counts = rnic.counters().addChannel();
    }

    // ---- out ----

    @Override
    public boolean send(long addressHandle, int remoteQpn, int remoteQkey, long address, int length, int lkey) {
        ShmPathWriter path = qp.mayBegin() ? paths.find(addressHandle, remoteQpn, length) : null;
        long from = path == null ? 0 : lastingAddress(lkey, address, length);
        if (path == null || from == 0) {
            return false;
        }
        int packetBytes = UdQueuePair.HEADER_BYTES + length + Bth.padCountFor(length) + Icrc.BYTES;
        long to = path.claim(packetBytes);
        if (to == 0) {
            return false;
        }
        // Padding and the ICRC are within the last eight bytes; the payload then overwrites its part of them.
        NativeWords.setLong(to + packetBytes - Long.BYTES, 0);
        qp.writeHeaders(to, remoteQpn, remoteQkey, length, psn);
        NativeWords.copy(from, to + UdQueuePair.HEADER_BYTES, length);
        path.commit();
        psn = Psn.plus(psn, 1);
        noteUnflushed(path);
        counts.countSent();
        return true;
    }

    /**
     * Returns the native address of the memory, or 0. A cached region is checked again, because other threads
     * deregister memory.
     */
    private long lastingAddress(int lkey, long address, int length) {
        SoftMemoryRegion last = lastRegion;
        long known = last == null || length <= 0 ? 0 : last.lastingAddress(lkey, address, length);
        if (known != 0 || length <= 0) {
            return known;
        }
        SoftMemoryRegion found = lookUp(lkey, address, length);
        return found == null ? 0 : found.lastingAddress(lkey, address, length);
    }

    private @Nullable SoftMemoryRegion lookUp(int lkey, long address, int length) {
        rnic.lock();
        try {
            SoftMemoryRegion found = qp.domain().local(lkey, address, length, 0);
            lastRegion = found != null && found.lasts() ? found : null;
            return lastRegion;
        } finally {
            rnic.unlock();
        }
    }

    /** Adds a path to flush. Does not store the same reference again, which would cost a GC barrier. */
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    private void noteUnflushed(ShmPathWriter path) {
        if (unflushedCount > 0 && unflushed[unflushedCount - 1] == path) {
            return;
        }
        if (unflushedCount == unflushed.length) {
            unflushed = Arrays.copyOf(unflushed, 2 * unflushedCount);
        }
        if (unflushed[unflushedCount] != path) {
            unflushed[unflushedCount] = path;
        }
        unflushedCount++;
    }

    @Override
    public void flush() {
        if (unflushedCount == 0) {
            return;
        }
        // Either the peer sees the packets, or this thread sees that the peer sleeps.
        VarHandle.fullFence();
        for (int i = 0; i < unflushedCount; i++) {
            ShmPathWriter path = Objects.requireNonNull(unflushed[i]);
            if (path.mustWake()) {
                wake(path);
            }
            path.fetchNext();
        }
        unflushedCount = 0;
    }

    private void wake(ShmPathWriter path) {
        rnic.lock();
        try {
            path.wake();
        } finally {
            rnic.unlock();
        }
    }

    // ---- in ----

    @Override
    public int inbound() {
        return readers.length;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    public int poll(Receiver receiver, int max) {
        if (readers != known) {
            known = closeLost();
        }
        ShmPathReader[] all = known;
        int count = 0;
        for (int i = 0; i < all.length && count < max; i++) {
            next = next + 1 < all.length ? next + 1 : 0;
            int length = all[next].first(max - count);
            if (length > 0) {
                count += take(all[next], length, receiver);
            }
        }
        return count;
    }

    /** Receives packets of a path, the first of which is already selected. */
    private int take(ShmPathReader path, int firstLength, Receiver receiver) {
        int count = 0;
        for (int length = firstLength; length > 0; length = path.next()) {
            if (!receivesInPlace(path, length, receiver)) {
                passOn(path);
            }
            count++;
        }
        path.finish();
        return count;
    }

    private boolean receivesInPlace(ShmPathReader path, int length, Receiver receiver) {
        if (length < UdQueuePair.SHORTEST || length % 4 != 0) {
            return false;
        }
        long address = path.address();
        long first = Long.reverseBytes(NativeWords.getLong(address));
        int payload = length - UdQueuePair.SHORTEST - Bth.padCount(first);
        if (payload < 0 || !qp.isFor(first, Integer.reverseBytes(NativeWords.getInt(address + Deth.QKEY)))) {
            return false;
        }
        long at = receiver.room(payload);
        if (at < 0) {
            return false;
        }
        MemorySegment memory = receiver.memory();
        Objects.checkFromIndexSize(at, payload, memory.byteSize());
        NativeWords.copy(address + UdQueuePair.HEADER_BYTES, memory.address() + at, payload);
        int source = Integer.reverseBytes(NativeWords.getInt(address + Deth.SOURCE_QP)) & 0xFF_FFFF;
        counts.countReceived();
        receiver.onDatagram(payload, source, path.sourceHigh(), path.sourceLow());
        return true;
    }

    /**
     * Passes a packet to the normal receive path, which checks it again and counts errors. There was no room for the
     * packet, or it is not a valid datagram for this queue pair.
     */
    private void passOn(ShmPathReader path) {
        rnic.lock();
        try {
            path.handTo(receiver);
        } finally {
            rnic.unlock();
        }
    }

    // ---- under the lock ----

    void add(ShmPathReader path) {
        ShmPathReader[] more = Arrays.copyOf(readers, readers.length + 1);
        more[readers.length] = path;
        readers = more;
    }

    /**
     * Removes a path; its reader closes it later, because it may be reading now. Ignores paths of other queue pairs.
     */
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    void lose(ShmPathReader path) {
        ShmPathReader[] rest =
                Arrays.stream(readers).filter(each -> each != path).toArray(ShmPathReader[]::new);
        if (rest.length < readers.length) {
            lost.add(path);
            readers = rest;
        }
    }

    /**
     * Closes the removed paths. Returns the others as of the same moment, because a path that is removed while this
     * thread waits for the lock is closed, too.
     */
    private ShmPathReader[] closeLost() {
        rnic.lock();
        try {
            lost.forEach(ShmPathReader::close);
            lost.clear();
            return readers;
        } finally {
            rnic.unlock();
        }
    }

    boolean hasNext() {
        for (ShmPathReader path : readers) {
            if (path.hasNext()) {
                return true;
            }
        }
        return false;
    }

    /** Closes the channel with its queue pair; no thread uses it then. */
    void close() {
        unflushedCount = 0;
        paths.close();
        rnic.counters().endChannel(counts);
        for (ShmPathReader path : closeLost()) {
            path.close();
        }
        readers = NONE;
    }
}
