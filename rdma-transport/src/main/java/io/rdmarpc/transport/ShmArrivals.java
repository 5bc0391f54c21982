package io.rdmarpc.transport;

import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import java.lang.foreign.MemorySegment;

/** Packets that one poll of the shared memory has found, in entries of the receive ring. Engine thread only. */
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

    ShmArrivals(ReceiveRing ring, int maxPackets) {
        this.ring = ring;
        this.memory = ring.writableMemory();
        this.entries = new int[maxPackets];
        this.lengths = new int[maxPackets];
        this.sourceQpns = new int[maxPackets];
        this.gids = new long[2 * maxPackets];
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
        // An entry that was requested but not filled, because the path failed, is used for the next packet.
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

    /** Passes a packet to the handler, during which {@link #isFrom} refers to that packet. */
    void deliver(int index, PacketHandler handler) {
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
