package io.rdmarpc.verbs.soft.shm.layout;

import static io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout.GIVEN_UP;
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

    /** As much of the ring is fetched ahead at most: a message of a kilobyte. */
    private static final int MOST_AHEAD = 1024;

    private final MemorySegment ring;
    private final long file;
    private final int capacity;
    private long tail;
    private long knownHead;
    private int lastBytes;
    private boolean broken;

    /**
     * Starts to write into an empty ring.
     *
     * @param ring the whole file, mapped
     */
    public RingWriter(MemorySegment ring) {
        this.ring = ring;
        this.file = ring.address();
        this.capacity = (int) (ring.byteSize() - HEADER_BYTES);
    }

    /** Puts a packet into the ring; false when it is full. */
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

    /** Finds room for a packet and returns where its record starts in the file, or -1 when the ring is full. */
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

    /** Makes the record that was claimed visible to the reader, by one store. */
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

    /** Tells whether {@link #writeLook} has room. */
    public boolean hasRoomForLook() {
        return claim(0) >= 0;
    }

    /** Tells the reader that something was handed over: a record without a packet, where there is room for one. */
    public void writeLook() {
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
     * Writes where the next record will be, as far as it is as large as the last one: the reader has those cache lines from the last
     * time round, and what is written into them cannot be seen until they are taken back, one after the other. For when the last
     * record is on its way and there is time.
     */
    public void fetchNext() {
        long last = tail + Math.min(lastBytes + LINE_BYTES, MOST_AHEAD);
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

    /** Tells whether the reader writes what no reader should. */
    public boolean isBroken() {
        return broken;
    }

    /** Tells whether the reader has given this ring up, or writes what no reader should. */
    public boolean isGivenUp() {
        return broken || (int) INT.getOpaque(ring, (long) GIVEN_UP) != 0;
    }

    /** Tells whether the reader has no room for a ring now. */
    public boolean hasNoRoom() {
        return (int) INT.getOpaque(ring, (long) GIVEN_UP) == ShmRingLayout.NO_ROOM;
    }

    /** Says how far the reader would get if it found all that was written. */
    public void tellTail() {
        LONG.setRelease(ring, (long) TAIL, tail);
    }

    /** Returns how many bytes were written. */
    public long tail() {
        return tail;
    }

    /** Returns how many bytes the reader says it has taken. */
    public long head() {
        return (long) LONG.getOpaque(ring, (long) HEAD);
    }
}
