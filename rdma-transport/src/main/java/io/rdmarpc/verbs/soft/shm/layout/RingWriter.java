package io.rdmarpc.verbs.soft.shm.layout;

import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.ABANDONED;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.HEAD;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.HEADER_BYTES;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.INT;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.LINE_BYTES;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.LONG;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.RECORD_HEADER_BYTES;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.SKIP;
import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.TAIL;

import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.StopPoint;
import java.lang.foreign.MemorySegment;

/** The sending end of a {@link ShmRingLayout ring}. One thread at a time. */
public final class RingWriter {

    /** Maximum number of bytes to prefetch: a message of 1 KiB. */
    private static final int MAX_AHEAD = 1024;

    private final MemorySegment ring;
    private final long file;
    private final int capacity;
    private long tail;
    private long knownHead;
    private int lastBytes;
    private boolean broken;

    /**
     * Creates the writer of an empty ring.
     *
     * @param ring the whole file, mapped
     */
    public RingWriter(MemorySegment ring) {
        this.ring = ring;
        this.file = ring.address();
        this.capacity = (int) (ring.byteSize() - HEADER_BYTES);
    }

    /** Writes a packet into the ring; false if the ring is full. */
    public boolean write(int source, int target, MemorySegment packet, int length) {
        long at = claim(length);
        if (at < 0) {
            return false;
        }
        MemorySegment.copy(packet, 0, ring, at + RECORD_HEADER_BYTES, length);
        StopPoint.IN_RECORD.reach();
        commit(at, source, target, length);
        fetchNext();
        return true;
    }

    /** Claims room for a packet; returns the offset of its record in the file, or -1 if the ring is full. */
    public long claim(int length) {
        int bytes = ShmRingLayout.recordBytes(length);
        int offset = offset(tail);
        int skipped = bytes <= capacity - offset ? 0 : capacity - offset;
        if (!hasRoom(skipped + bytes + RECORD_HEADER_BYTES)) {
            return -1;
        }
        if (skipped > 0) {
            LONG.set(ring, (long) HEADER_BYTES, 0L);
            LONG.setRelease(ring, (long) HEADER_BYTES + offset, ShmRingLayout.firstWord(SKIP, 0, 0));
            tail += skipped;
        }
        return HEADER_BYTES + (long) offset(tail);
    }

    /** Makes the claimed record visible to the reader, by one store. */
    public void commit(long at, int source, int target, int length) {
        lastBytes = ShmRingLayout.recordBytes(length);
        tail += lastBytes;
        clear(tail);
        if (NativeWords.isGranted()) {
            NativeWords.setLongRelease(file + at, ShmRingLayout.firstWord(length, source, target));
        } else {
            LONG.setRelease(ring, at, ShmRingLayout.firstWord(length, source, target));
        }
    }

    /** Returns whether {@link #writeAnnouncement} has room. */
    public boolean hasRoomForAnnouncement() {
        return claim(0) >= 0;
    }

    /** Announces a passed descriptor to the reader by a record without a packet; there must be room for it. */
    public void writeAnnouncement() {
        long at = claim(0);
        tail += RECORD_HEADER_BYTES;
        clear(tail);
        LONG.setRelease(ring, at, ShmRingLayout.firstWord(ShmRingLayout.LOOK, 0, 0));
    }

    private void clear(long position) {
        if (NativeWords.isGranted()) {
            NativeWords.setLong(file + HEADER_BYTES + offset(position), 0);
        } else {
            LONG.set(ring, (long) HEADER_BYTES + offset(position), 0L);
        }
    }

    /**
     * Writes to the cache lines of the next record, up to the size of the last one. The reader's CPU has held these
     * lines in its cache since the last cycle of the ring, and each store has to acquire its line. The sender calls
     * this after a packet was sent, so that the next one does not wait for the lines.
     */
    public void fetchNext() {
        long last = tail + Math.min(lastBytes + LINE_BYTES, MAX_AHEAD);
        if (last + RECORD_HEADER_BYTES - knownHead <= capacity) {
            for (long ahead = tail + LINE_BYTES; ahead <= last; ahead += LINE_BYTES) {
                clear(ahead);
            }
        }
    }

    private int offset(long position) {
        return (int) position & capacity - 1;
    }

    private boolean hasRoom(int bytes) {
        if (tail + bytes - knownHead <= capacity) {
            return true;
        }
        long head = (long) LONG.getAcquire(ring, (long) HEAD);
        if (head < knownHead || head > tail) {
            broken = true;
            return false;
        }
        knownHead = head;
        return tail + bytes - head <= capacity;
    }

    /** Returns whether the reader has written an invalid head. */
    public boolean isBroken() {
        return broken;
    }

    /** Returns whether the reader has abandoned this ring, or has written an invalid head. */
    public boolean isAbandoned() {
        return broken || (int) INT.getOpaque(ring, (long) ABANDONED) != 0;
    }

    /** Returns whether the reader has rejected this ring because its budget is used up. */
    public boolean hasNoRoom() {
        return (int) INT.getOpaque(ring, (long) ABANDONED) == ShmRingLayout.NO_ROOM;
    }

    /** Publishes the tail, which a reader that finds all records would reach. */
    public void publishTail() {
        LONG.setRelease(ring, (long) TAIL, tail);
    }

    /** Returns the number of bytes written. */
    public long tail() {
        return tail;
    }

    /** Returns the number of bytes that the reader reports as read. */
    public long head() {
        return (long) LONG.getOpaque(ring, (long) HEAD);
    }
}
