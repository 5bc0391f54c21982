package io.rdmarpc.verbs.soft.shm;

import static io.rdmarpc.verbs.soft.shm.RingLayout.GIVEN_UP;
import static io.rdmarpc.verbs.soft.shm.RingLayout.HEAD;
import static io.rdmarpc.verbs.soft.shm.RingLayout.HEADER_BYTES;
import static io.rdmarpc.verbs.soft.shm.RingLayout.INT;
import static io.rdmarpc.verbs.soft.shm.RingLayout.LONG;
import static io.rdmarpc.verbs.soft.shm.RingLayout.RECORD_HEADER_BYTES;
import static io.rdmarpc.verbs.soft.shm.RingLayout.SKIP;
import static io.rdmarpc.verbs.soft.shm.RingLayout.TAIL;

import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.soft.link.PacketHandler;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of a {@link RingLayout ring}. Believes nothing: each field is checked, and a packet is copied out before
 * anybody looks at it, since its sender could still change it. One thread at a time.
 */
final class RingReader {

    private final MemorySegment ring;
    private final int capacity;
    private final int port;
    private final Gid[] sources;
    private final int targets;
    private long head;

    /**
     * Starts to read.
     *
     * @param ring the whole file, mapped
     * @param port the sender's UDP port
     * @param sources the sender's addresses
     * @param targets how many own addresses there are
     */
    RingReader(MemorySegment ring, int port, Gid[] sources, int targets) {
        this.ring = ring;
        this.capacity = (int) (ring.byteSize() - HEADER_BYTES);
        this.port = port;
        this.sources = sources;
        this.targets = targets;
    }

    /**
     * Hands packets over and gives their room back.
     *
     * @param buffer where each packet is copied to
     * @return how many there were, or -1 when a record makes no sense: then nothing more is to be read here
     */
    int poll(int max, PacketHandler handler, PacketBuffer buffer) {
        int count = 0;
        long start = head;
        while (count < max) {
            long word = (long) LONG.getAcquire(ring, (long) HEADER_BYTES + offset());
            if (word == 0) {
                break;
            }
            if (RingLayout.length(word) == SKIP && offset() > 0) {
                head += capacity - offset();
            } else if (isValid(word)) {
                take(word, handler, buffer);
                count++;
            } else {
                giveUp();
                return -1;
            }
        }
        if (head != start) {
            LONG.setRelease(ring, (long) HEAD, head);
        }
        return count;
    }

    private int offset() {
        return (int) head & capacity - 1;
    }

    private boolean isValid(long word) {
        int length = RingLayout.length(word);
        return length > 0
                && length <= PacketBuffer.CAPACITY
                && RingLayout.recordBytes(length) <= capacity - offset()
                && RingLayout.source(word) < sources.length
                && RingLayout.target(word) < targets;
    }

    private void take(long word, PacketHandler handler, PacketBuffer buffer) {
        int length = RingLayout.length(word);
        MemorySegment.copy(ring, HEADER_BYTES + (long) offset() + RECORD_HEADER_BYTES, buffer.memory(), 0, length);
        buffer.length(length);
        head += RingLayout.recordBytes(length);
        Gid source = sources[RingLayout.source(word)];
        handler.onPacket(RingLayout.target(word), source.high(), source.low(), port, buffer);
    }

    /** Tells whether a record waits. */
    boolean hasNext() {
        return (long) LONG.getAcquire(ring, (long) HEADER_BYTES + offset()) != 0;
    }

    /** Tells whether the sender has written something that cannot be found: nothing will ever be read here again. */
    boolean isStalled() {
        long tail = (long) LONG.getAcquire(ring, (long) TAIL);
        return tail > head && !hasNext();
    }

    /** Tells the sender that nothing more is read here. */
    void giveUp() {
        INT.setRelease(ring, (long) GIVEN_UP, 1);
    }

    /** Returns how many bytes were taken. */
    long head() {
        return head;
    }
}
