package io.rdmarpc.verbs.soft.shm;

import static io.rdmarpc.verbs.soft.shm.RingLayout.GIVEN_UP;
import static io.rdmarpc.verbs.soft.shm.RingLayout.HEAD;
import static io.rdmarpc.verbs.soft.shm.RingLayout.HEADER_BYTES;
import static io.rdmarpc.verbs.soft.shm.RingLayout.INT;
import static io.rdmarpc.verbs.soft.shm.RingLayout.LINE_BYTES;
import static io.rdmarpc.verbs.soft.shm.RingLayout.LONG;
import static io.rdmarpc.verbs.soft.shm.RingLayout.RECORD_HEADER_BYTES;
import static io.rdmarpc.verbs.soft.shm.RingLayout.SKIP;
import static io.rdmarpc.verbs.soft.shm.RingLayout.TAIL;

import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.PacketHandler;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;

/**
 * The receiving end of a {@link RingLayout ring}. Believes nothing: each field is checked. The sender could still change a packet, so
 * its headers are copied out before anybody looks at them, but for those that are taken in place, where no byte is looked at
 * twice; its payload is only copied on. One thread at a
 * time.
 */
final class RingReader {

    private final MemorySegment ring;
    private final long file;
    private final int capacity;
    private final int port;
    private final Gid[] sources;
    private final int targets;
    private long head;
    private boolean wasEmpty;

    /** Kept so that the look is not left out as useless. */
    @SuppressWarnings("unused")
    private long lineBehind;

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
        this.file = ring.address();
        this.capacity = (int) (ring.byteSize() - HEADER_BYTES);
        this.port = port;
        this.sources = sources;
        this.targets = targets;
    }

    /**
     * Hands packets over and gives their room back: one after a poll that has found none, else all there are. To look behind
     * the last packet means to wait until that cache line has come from the sender's CPU, and who is sent a packet now and then
     * would wait for it with each packet before anybody sees that.
     *
     * @param buffer what shows each packet
     * @return how many there were, or -1 when a record makes no sense: then nothing more is to be read here
     */
    int poll(int max, PacketHandler handler, PacketBuffer buffer) {
        long word = look();
        int most = wasEmpty ? Math.min(1, max) : max;
        wasEmpty = word == 0;
        long start = head;
        int count = 0;
        while (word != 0 && count < most) {
            if (RingLayout.length(word) == SKIP && offset() > 0) {
                head += capacity - offset();
                word = firstWord();
            } else if (isValid(word)) {
                word = take(word, ++count < most, handler, buffer);
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

    /**
     * Returns what {@link #firstWord} does, after a look at the cache line behind that one. A record of a small message lies in both:
     * they come from the sender's CPU at the same time then, not one after the other.
     */
    private long look() {
        if (NativeWords.isGranted()) {
            lineBehind = NativeWords.getLongAcquire(file + HEADER_BYTES + (offset() + LINE_BYTES & capacity - 1));
        }
        return firstWord();
    }

    /** Returns the first eight bytes of the next record, 0 when there is none. */
    private long firstWord() {
        return NativeWords.isGranted()
                ? NativeWords.getLongAcquire(file + HEADER_BYTES + offset())
                : (long) LONG.getAcquire(ring, (long) HEADER_BYTES + offset());
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

    /**
     * Hands a packet over; returns the first word of the next record if that is wanted. It is looked at before the packet is,
     * so that it comes from the sender's CPU meanwhile, and once more when it was not there yet.
     */
    private long take(long word, boolean goesOn, PacketHandler handler, PacketBuffer buffer) {
        int length = RingLayout.length(word);
        long at = HEADER_BYTES + (long) offset() + RECORD_HEADER_BYTES;
        head += RingLayout.recordBytes(length);
        long next = goesOn ? firstWord() : 0;
        Gid source = sources[RingLayout.source(word)];
        int target = RingLayout.target(word);
        if (!NativeWords.isGranted() || !handler.takesInPlace(target, source.high(), source.low(), file + at, length)) {
            buffer.show(ring, at, length);
            handler.onPacket(target, source.high(), source.low(), port, buffer);
        }
        return goesOn && next == 0 ? firstWord() : next;
    }

    /** Tells whether a record waits. */
    boolean hasNext() {
        return firstWord() != 0;
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
