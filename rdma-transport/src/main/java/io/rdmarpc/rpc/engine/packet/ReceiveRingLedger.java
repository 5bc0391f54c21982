package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.transport.UdTransport;
import java.lang.foreign.MemorySegment;

/**
 * Tracks the owner of each part of the receive ring. An entry is posted, in use by the engine, or lent to a reader. If
 * readers hold half of the ring, further messages are copied, so that slow readers cannot starve reception. Engine
 * thread only, except {@link #giveBack}.
 */
public final class ReceiveRingLedger {

    /** The value that means no entry. */
    public static final int NO_ENTRY = ReturnedEntries.NONE;

    private final UdTransport ud;
    private final int maxLent;
    private final ReturnedEntries returned;
    // The number of readers of each entry, including the engine. The messages of one packet share its entry.
    private final int[] readers;
    private boolean parking;
    private int lent;

    public ReceiveRingLedger(UdTransport ud) {
        this.ud = ud;
        this.maxLent = ud.receiveDepth() / 2;
        this.returned = new ReturnedEntries(maxLent);
        this.readers = new int[ud.ringEntries()];
    }

    public MemorySegment memory() {
        return ud.ringMemory();
    }

    public long payloadOffset(int entry) {
        return ud.payloadOffset(entry);
    }

    /** Creates a message from a part of an entry, and ends the caller's use of the entry. */
    public InboundMessage lend(int entry, long offset, int length) {
        if (tryLend()) {
            return new ReceivedPacket(this, entry, offset, length);
        }
        InboundMessage message = copy(offset, length);
        drop(entry);
        return message;
    }

    /** Counts an entry as lent until {@link #giveBack}. Returns false if readers hold too much of the ring. */
    public boolean tryLend() {
        if (lent >= maxLent) {
            collectReturned();
        }
        if (lent >= maxLent) {
            return false;
        }
        lent++;
        return true;
    }

    /** Copies a part of the ring. */
    public InboundMessage copy(long offset, int length) {
        byte[] copy = new byte[length];
        MemorySegment.copy(ud.ringMemory(), offset, MemorySegment.ofArray(copy), 0, length);
        return new CopiedMessage(MemorySegment.ofArray(copy).asReadOnly());
    }

    /**
     * Returns an entry that was lent. Thread-safe. It does not wake the loop, because the next duty cycle collects the
     * entry in time.
     */
    public void giveBack(int entry) {
        returned.add(entry);
    }

    /** Collects the entries that readers have returned; does nothing while parked. */
    public void collectReturned() {
        if (parking) {
            return;
        }
        for (int entry = returned.poll(); entry != NO_ENTRY; entry = returned.poll()) {
            lent--;
            drop(entry);
        }
    }

    /** Stops posting entries, because the queue pair may be closed or reset at any time. Returned entries wait. */
    public void park() {
        parking = true;
    }

    /** Resumes posting entries before the loop runs again. */
    void unpark() {
        parking = false;
        collectReturned();
    }

    public void release(int entry) {
        drop(entry);
    }

    /** Counts one more reader that will return the entry. */
    public void hold(int entry) {
        readers[entry]++;
    }

    private void drop(int entry) {
        if (--readers[entry] == 0) {
            ud.release(entry);
        }
    }
}
