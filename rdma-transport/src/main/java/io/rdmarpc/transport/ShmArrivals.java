package io.rdmarpc.transport;

import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import java.lang.foreign.MemorySegment;

/** Packets that one look into the shared memory has found, in entries of the receive ring. Engine thread only. */
final class ShmArrivals implements ShmDatagramChannel.Receiver {

    private final ReceiveRing ring;
    private final MemorySegment memory;
    private final int[] entries;
    private final int[] lengths;
    private final int[] sourceQpns;
    private final long[] gids;
    private int count;
    private int reading;
    private int next = -1;

    ShmArrivals(ReceiveRing ring, int most) {
        this.ring = ring;
        this.memory = ring.writableMemory();
        this.entries = new int[most];
        this.lengths = new int[most];
        this.sourceQpns = new int[most];
        this.gids = new long[2 * most];
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public long room(int bytes) {
        if (bytes > ring.mtuBytes()) {
            return -1;
        }
        // One that was asked for and not filled, because the path failed, is still there.
        next = next < 0 ? ring.takeReserved() : next;
        return next < 0 ? -1 : ring.payloadOffset(next);
    }

    @Override
    public void onDatagram(int bytes, int sourceQpn, long gidHigh, long gidLow) {
        entries[count] = next;
        lengths[count] = bytes;
        sourceQpns[count] = sourceQpn;
        gids[2 * count] = gidHigh;
        gids[2 * count + 1] = gidLow;
        next = -1;
        count++;
    }

    int count() {
        return count;
    }

    /** Hands one over, of which {@link #isFrom} speaks meanwhile. */
    void hand(int index, PacketHandler handler) {
        reading = index;
        handler.onPacket(entries[index], lengths[index], sourceQpns[index]);
    }

    boolean isFrom(long gidHigh, long gidLow) {
        return gids[2 * reading] == gidHigh && gids[2 * reading + 1] == gidLow;
    }

    void clear() {
        count = 0;
    }
}
