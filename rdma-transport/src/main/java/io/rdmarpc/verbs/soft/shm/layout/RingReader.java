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

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The receiving end of a {@link ShmRingLayout ring}. It does not trust the sender and validates each field. The sender
 * can still change a packet, so the headers are copied before they are read. The headers of packets that are received
 * in place are not copied, and no byte of them is read twice. The payload is only copied. One thread at a time.
 */
public final class RingReader {

    private final MemorySegment ring;
    private final long file;
    private final int capacity;
    private final int port;
    private final Gid[] sources;
    private final int targets;
    private long head;
    /** The head that was last published to the sender. */
    private long publishedHead;

    private boolean wasEmpty;
    /** The number of packets that this poll may still return. */
    private int left;

    private boolean looks;

    // The current packet, and the first word of the next one, 0 if it has not arrived or is not wanted.
    private long word;
    private long at;
    private long upcoming;

    /** The length of the last copied packet, 0 between polls. */
    private int fetched;

    /** Stored so that the compiler does not remove the load. */
    @SuppressWarnings("unused")
    private long nextLine;

    /**
     * Creates the reader of a ring.
     *
     * @param ring the whole file, mapped
     * @param port the sender's UDP port
     * @param sources the sender's addresses
     * @param targets the number of local addresses
     */
    public RingReader(MemorySegment ring, int port, List<Gid> sources, int targets) {
        this.ring = ring;
        this.file = ring.address();
        this.capacity = (int) (ring.byteSize() - HEADER_BYTES);
        this.port = port;
        this.sources = sources.toArray(Gid[]::new);
        this.targets = targets;
    }

    /**
     * Passes packets to a handler and releases their room.
     *
     * @param max maximum number of packets
     * @param buffer the buffer that refers to each packet
     * @return the number of packets, or -1 if a record is invalid; the ring must then not be read again
     */
    public int poll(int max, LinkPacketHandler handler, PacketBuffer buffer) {
        int count = 0;
        int length = first(max);
        while (length > 0) {
            Gid source = source();
            boolean inPlace = NativeWords.isGranted()
                    && handler.receivesInPlace(target(), source.high(), source.low(), address(), length);
            if (!inPlace) {
                handTo(handler, buffer);
            }
            count++;
            length = next();
        }
        finish();
        return length < 0 ? -1 : count;
    }

    /**
     * Passes packets to a handler from a file that its sender can shorten. Each packet is copied as a whole first,
     * because a fault while the handler runs would leave its work half done.
     *
     * @return as {@link #poll(int, LinkPacketHandler, PacketBuffer)}; -1 also if the file has been shortened
     */
    public int poll(int max, LinkPacketHandler handler, PacketBuffer buffer, FileFaults faults) {
        int count = 0;
        while (faults.holds(() -> fetch(max, buffer))) {
            Gid source = source();
            handler.onPacket(target(), source.high(), source.low(), port, buffer);
            count++;
        }
        faults.touch(this::finish);
        boolean broken = fetched < 0 || faults.isTorn();
        fetched = 0;
        return broken ? -1 : count;
    }

    private boolean fetch(int max, PacketBuffer buffer) {
        fetched = fetched == 0 ? first(max) : next();
        if (fetched > 0) {
            buffer.show(ring, at, fetched);
            buffer.makeWhole();
        }
        return fetched > 0;
    }

    /**
     * Looks for a packet. After a call that found none it returns one packet until {@link #finish}, otherwise all
     * available ones. To look beyond the last packet takes the transfer of a cache line from the sender's CPU. If
     * packets arrive one by one, each of them would wait for this transfer.
     *
     * <p>The cache line after that of the packet's first word is loaded before it. A record of a small message is in
     * both lines, which the sender's CPU then transfers at the same time.
     *
     * @param max maximum number of packets
     * @return the length of the packet, 0 if there is none, -1 if a record is invalid; the ring must then not be read
     * again
     */
    public int first(int max) {
        long found;
        if (NativeWords.isGranted()) {
            int offset = offset();
            nextLine = NativeWords.getLongAcquire(file + HEADER_BYTES + (offset + LINE_BYTES & capacity - 1));
            found = NativeWords.getLongAcquire(file + HEADER_BYTES + offset);
        } else {
            found = firstWord();
        }
        left = wasEmpty ? Math.min(1, max) : max;
        wasEmpty = found == 0;
        return found == 0 || left == 0 ? 0 : begin(found);
    }

    /** Looks for the next packet if another one is wanted; returns the same as {@link #first}. */
    public int next() {
        if (left == 0) {
            return 0;
        }
        long found = upcoming != 0 ? upcoming : firstWord();
        return found == 0 ? 0 : begin(found);
    }

    /**
     * Makes a packet the current one. The first word of the next record is loaded before the packet is handled, so that
     * its cache line is transferred in the meantime.
     */
    private int begin(long first) {
        long found = first;
        while (ShmRingLayout.length(found) == SKIP && offset() > 0) {
            head += capacity - offset();
            found = firstWord();
            if (found == 0) {
                return 0;
            }
        }
        int length = ShmRingLayout.length(found);
        if (!isValid(found)) {
            return length == ShmRingLayout.LOOK ? look() : abandonNow();
        }
        word = found;
        at = HEADER_BYTES + (long) offset() + RECORD_HEADER_BYTES;
        head += ShmRingLayout.recordBytes(length);
        left--;
        upcoming = left > 0 ? firstWord() : 0;
        return length;
    }

    /**
     * Handles a LOOK record and ends the poll, so that a sender that writes only such records cannot hold this thread.
     */
    private int look() {
        head += ShmRingLayout.RECORD_HEADER_BYTES;
        upcoming = 0;
        left = 0;
        looks = true;
        return 0;
    }

    private int abandonNow() {
        abandon(ShmRingLayout.REJECTED);
        return -1;
    }

    /** Returns whether the sender has announced since the last call that it passed a descriptor. */
    public boolean pollAnnouncement() {
        boolean said = looks;
        looks = false;
        return said;
    }

    /** Releases the room of the packets that were read. */
    public void finish() {
        if (head != publishedHead) {
            publishedHead = head;
            if (NativeWords.isGranted()) {
                NativeWords.setLongRelease(file + HEAD, head);
            } else {
                LONG.setRelease(ring, (long) HEAD, head);
            }
        }
    }

    /** Returns the address of the current packet. */
    public long address() {
        return file + at;
    }

    /** Returns the source of the current packet. */
    public Gid source() {
        return sources[ShmRingLayout.source(word)];
    }

    /** Returns the index of the local address to which the current packet was sent. */
    private int target() {
        return ShmRingLayout.target(word);
    }

    /** Passes the current packet to a handler in a buffer. */
    public void handTo(LinkPacketHandler handler, PacketBuffer buffer) {
        Gid source = source();
        buffer.show(ring, at, ShmRingLayout.length(word));
        handler.onPacket(target(), source.high(), source.low(), port, buffer);
    }

    /** Returns the first eight bytes of the next record, 0 if there is none. */
    private long firstWord() {
        return firstWord(head);
    }

    private long firstWord(long position) {
        int offset = (int) position & capacity - 1;
        return NativeWords.isGranted()
                ? NativeWords.getLongAcquire(file + HEADER_BYTES + offset)
                : (long) LONG.getAcquire(ring, (long) HEADER_BYTES + offset);
    }

    private int offset() {
        return (int) head & capacity - 1;
    }

    private boolean isValid(long first) {
        int length = ShmRingLayout.length(first);
        return length > 0
                && length <= PacketBuffer.CAPACITY
                && ShmRingLayout.recordBytes(length) <= capacity - offset()
                && ShmRingLayout.source(first) < sources.length
                && ShmRingLayout.target(first) < targets;
    }

    /** Returns whether the ring has a record. */
    public boolean hasNext() {
        return firstWord() != 0;
    }

    /**
     * Returns whether the sender has published a tail without a record at the head, so that nothing can be read here
     * again. Another thread may read at the same time: the result counts only if that thread has read nothing.
     */
    public boolean isStalled() {
        long seen = head;
        long tail = (long) LONG.getAcquire(ring, (long) TAIL);
        return tail > seen && firstWord(seen) == 0 && head == seen;
    }

    /** Marks the ring as abandoned by its reader, with the reason. */
    public void abandon(int why) {
        INT.setRelease(ring, (long) ABANDONED, why);
    }

    /** Returns the number of bytes read. */
    public long head() {
        return head;
    }
}
