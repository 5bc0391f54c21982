package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.DatagramLanes;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.LaneReader;
import io.rdmarpc.verbs.soft.link.LaneWriter;
import io.rdmarpc.verbs.soft.link.PacketHandler;
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
 * Lanes to and from one queue pair. Packets are as they are elsewhere, so that one which cannot be taken here goes on as any
 * other. Its user takes the RNIC's lock only where lanes come and go, and to wake a peer.
 */
final class UdLanes implements DatagramLanes {

    private static final LaneReader[] NONE = {};

    private final UdQueuePair qp;
    private final RnicContext rnic;
    private final PacketHandler receiver;

    // The user's.
    private final LaneWays ways;
    private final LaneCounts counts;
    private @Nullable LaneWriter[] unflushed = new LaneWriter[1];
    private int unflushedCount;
    private @Nullable SoftMemoryRegion lastRegion;
    private LaneReader[] known = NONE;
    private int next;
    private int psn;

    // Written under the lock.
    private volatile LaneReader[] readers = NONE;
    private final List<LaneReader> lost = new ArrayList<>();

    /**
     * Makes lanes that lead nowhere yet.
     *
     * @param receiver takes the packets that cannot be taken here
     */
    UdLanes(UdQueuePair qp, AddressHandleTable addressHandles, PacketHandler receiver) {
        this.qp = qp;
        this.rnic = qp.rnic();
        this.receiver = receiver;
        this.ways = new LaneWays(qp.domain(), addressHandles);
        this.counts = rnic.counters().addLanes();
    }

    // ---- out ----

    @Override
    public boolean send(long addressHandle, int remoteQpn, int remoteQkey, long address, int length, int lkey) {
        LaneWriter lane = qp.mayBegin() ? ways.find(addressHandle, remoteQpn, length) : null;
        long from = lane == null ? 0 : lastingAddress(lkey, address, length);
        if (lane == null || from == 0) {
            return false;
        }
        int packetBytes = UdQueuePair.HEADER_BYTES + length + Bth.padCountFor(length) + Icrc.BYTES;
        long to = lane.claim(packetBytes);
        if (to == 0) {
            return false;
        }
        // Padding and the room of the ICRC are among the last eight bytes, of which the payload takes its part
        // afterwards.
        NativeWords.setLong(to + packetBytes - Long.BYTES, 0);
        qp.writeHeaders(to, remoteQpn, remoteQkey, length, psn);
        NativeWords.copy(from, to + UdQueuePair.HEADER_BYTES, length);
        lane.commit();
        psn = Psn.plus(psn, 1);
        noteUnflushed(lane);
        counts.countSent();
        return true;
    }

    /** What was found last is asked whether it still holds: other threads register and deregister meanwhile. */
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

    /** What is there already is not stored again: to store a reference costs a fence. */
    @SuppressWarnings("ReferenceEquality") // that very lane
    private void noteUnflushed(LaneWriter lane) {
        if (unflushedCount > 0 && unflushed[unflushedCount - 1] == lane) {
            return;
        }
        if (unflushedCount == unflushed.length) {
            unflushed = Arrays.copyOf(unflushed, 2 * unflushedCount);
        }
        if (unflushed[unflushedCount] != lane) {
            unflushed[unflushedCount] = lane;
        }
        unflushedCount++;
    }

    @Override
    public void flush() {
        if (unflushedCount == 0) {
            return;
        }
        // Either the peer sees what was sent, or it is seen here that it sleeps.
        VarHandle.fullFence();
        for (int i = 0; i < unflushedCount; i++) {
            LaneWriter lane = Objects.requireNonNull(unflushed[i]);
            if (lane.mustWake()) {
                wake(lane);
            }
            lane.fetchNext();
        }
        unflushedCount = 0;
    }

    private void wake(LaneWriter lane) {
        rnic.lock();
        try {
            lane.wake();
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
    @SuppressWarnings("ReferenceEquality") // these very ones
    public int poll(Receiver receiver, int max) {
        LaneReader[] all = readers;
        if (all != known) {
            closeLost();
            known = all;
        }
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

    /** Takes packets, of which the first one is found. */
    private int take(LaneReader lane, int firstLength, Receiver receiver) {
        int count = 0;
        for (int length = firstLength; length > 0; length = lane.next()) {
            if (!takesInPlace(lane, length, receiver)) {
                passOn(lane);
            }
            count++;
        }
        lane.finish();
        return count;
    }

    private boolean takesInPlace(LaneReader lane, int length, Receiver receiver) {
        if (length < UdQueuePair.SHORTEST || length % 4 != 0) {
            return false;
        }
        long address = lane.address();
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
        receiver.onDatagram(payload, source, lane.sourceHigh(), lane.sourceLow());
        return true;
    }

    /** There is no room for it, or something is wrong with it, which is found out and counted there. */
    private void passOn(LaneReader lane) {
        rnic.lock();
        try {
            lane.handTo(receiver);
        } finally {
            rnic.unlock();
        }
    }

    // ---- under the lock ----

    void add(LaneReader lane) {
        LaneReader[] more = Arrays.copyOf(readers, readers.length + 1);
        more[readers.length] = lane;
        readers = more;
    }

    /** To be closed by who reads it, since it may do so just now. Nothing when it is not of this queue pair. */
    @SuppressWarnings("ReferenceEquality") // that very lane
    void lose(LaneReader lane) {
        LaneReader[] rest = Arrays.stream(readers).filter(each -> each != lane).toArray(LaneReader[]::new);
        if (rest.length < readers.length) {
            lost.add(lane);
            readers = rest;
        }
    }

    private void closeLost() {
        rnic.lock();
        try {
            lost.forEach(LaneReader::close);
            lost.clear();
        } finally {
            rnic.unlock();
        }
    }

    boolean hasNext() {
        for (LaneReader lane : readers) {
            if (lane.hasNext()) {
                return true;
            }
        }
        return false;
    }

    /** The queue pair is closed: nobody uses this any more. */
    void close() {
        unflushedCount = 0;
        ways.close();
        rnic.counters().endLanes(counts);
        closeLost();
        for (LaneReader lane : readers) {
            lane.close();
        }
        readers = NONE;
    }
}
