package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.transport.UdTransport;
import java.lang.foreign.MemorySegment;

/**
 * Who has which part of the receive ring: an entry is posted, being looked at by the engine, or lent to a reader. When
 * readers hold half of the ring, further messages are copied, so that slow readers cannot starve reception. Engine
 * thread only, but for {@link #giveBack}.
 */
final class ReceiveRingLedger {

    /** In place of an entry: none. */
    static final int NO_ENTRY = ReturnedEntries.NONE;

    private final UdTransport ud;
    private final int mostLent;
    private final ReturnedEntries returned;
    // Readers of each entry, the engine itself included: the messages of one packet share it.
    private final int[] readers;
    private boolean parking;
    private int lent;

    ReceiveRingLedger(UdTransport ud) {
        this.ud = ud;
        this.mostLent = ud.receiveDepth() / 2;
        this.returned = new ReturnedEntries(mostLent);
        this.readers = new int[ud.ringEntries()];
    }

    MemorySegment memory() {
        return ud.ringMemory();
    }

    long payloadOffset(int entry) {
        return ud.payloadOffset(entry);
    }

    /** Makes a message of a part of an entry; the entry is taken care of. */
    InboundMessage lend(int entry, long offset, int length) {
        if (tryLend()) {
            return new ReceivedPacket(this, entry, offset, length);
        }
        InboundMessage message = copy(offset, length);
        drop(entry);
        return message;
    }

    /** Counts an entry as lent, to come back by {@link #giveBack}; false when readers hold too much of the ring. */
    boolean tryLend() {
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
    InboundMessage copy(long offset, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(ud.ringMemory(), offset, MemorySegment.ofArray(copy), 0, length);
        return new CopiedMessage(MemorySegment.ofArray(copy).asReadOnly());
    }

    /**
     * An entry that was lent is not read any more. Any thread. Nobody waits for it, so nobody is woken: the next turn, whatever
     * brings it, is early enough.
     */
    void giveBack(int entry) {
        returned.add(entry);
    }

    /** Takes what readers have given back; while that is parked it waits where it is. */
    void takeBack() {
        if (parking) {
            return;
        }
        for (int entry = returned.poll(); entry != NO_ENTRY; entry = returned.poll()) {
            lent--;
            drop(entry);
        }
    }

    /** Nobody turns the loop, and the queue pair may be closed at any time: entries that come back wait. */
    void park() {
        parking = true;
    }

    /** The loop will be turned again. */
    void unpark() {
        parking = false;
        takeBack();
    }

    void release(int entry) {
        drop(entry);
    }

    /** One more reader will give the entry back. */
    void hold(int entry) {
        readers[entry]++;
    }

    private void drop(int entry) {
        if (--readers[entry] == 0) {
            ud.release(entry);
        }
    }
}
