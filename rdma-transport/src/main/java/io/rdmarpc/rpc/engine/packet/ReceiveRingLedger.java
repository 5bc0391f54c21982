package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.transport.UdTransport;
import java.lang.foreign.MemorySegment;

/**
 * Who has which part of the receive ring: an entry is posted, being looked at by the engine, or lent to a reader. When
 * readers hold half of the ring, further messages are copied, so that slow readers cannot starve reception. Engine
 * thread only, but for {@link #giveBack}.
 */
public final class ReceiveRingLedger {

    /** In place of an entry: none. */
    public static final int NO_ENTRY = ReturnedEntries.NONE;

    private final UdTransport ud;
    private final int mostLent;
    private final ReturnedEntries returned;
    // Readers of each entry, the engine itself included: the messages of one packet share it.
    private final int[] readers;
    private boolean parking;
    private int lent;

    public ReceiveRingLedger(UdTransport ud) {
        this.ud = ud;
        this.mostLent = ud.receiveDepth() / 2;
        this.returned = new ReturnedEntries(mostLent);
        this.readers = new int[ud.ringEntries()];
    }

    public MemorySegment memory() {
        return ud.ringMemory();
    }

    public long payloadOffset(int entry) {
        return ud.payloadOffset(entry);
    }

    /** Makes a message of a part of an entry; the entry is taken care of. */
    public InboundMessage lend(int entry, long offset, int length) {
        if (tryLend()) {
            return new ReceivedPacket(this, entry, offset, length);
        }
        InboundMessage message = copy(offset, length);
        drop(entry);
        return message;
    }

    /** Counts an entry as lent, to come back by {@link #giveBack}; false when readers hold too much of the ring. */
    public boolean tryLend() {
        if (lent >= mostLent) {
            takeBack();
        }
        if (lent >= mostLent) {
            return false;
        }
        lent++;
        return true;
    }

    /** Takes a part of the ring out of it. */
    public InboundMessage copy(long offset, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(ud.ringMemory(), offset, MemorySegment.ofArray(copy), 0, length);
        return new CopiedMessage(MemorySegment.ofArray(copy).asReadOnly());
    }

    /**
     * An entry that was lent is not read any more. Any thread. Nobody waits for it, so nobody is woken: the next turn, whatever
     * brings it, is early enough.
     */
    public void giveBack(int entry) {
        returned.add(entry);
    }

    /** Takes what readers have given back; while that is parked it waits where it is. */
    public void takeBack() {
        if (parking) {
            return;
        }
        for (int entry = returned.poll(); entry != NO_ENTRY; entry = returned.poll()) {
            lent--;
            drop(entry);
        }
    }

    /** Nobody turns the loop, and the queue pair may be closed at any time: entries that come back wait. */
    public void park() {
        parking = true;
    }

    /** The loop will be turned again. */
    void unpark() {
        parking = false;
        takeBack();
    }

    public void release(int entry) {
        drop(entry);
    }

    /** One more reader will give the entry back. */
    public void hold(int entry) {
        readers[entry]++;
    }

    private void drop(int entry) {
        if (--readers[entry] == 0) {
            ud.release(entry);
        }
    }
}
