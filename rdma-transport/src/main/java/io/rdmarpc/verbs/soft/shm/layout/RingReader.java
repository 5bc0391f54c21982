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

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The receiving end of a {@link ShmRingLayout ring}. Believes nothing: each field is checked. The sender could still change a packet, so
 * its headers are copied out before anybody looks at them, but for those that are taken in place, where no byte is looked at
 * twice; its payload is only copied on. One thread at a
 * time.
 */
public final class RingReader {

    private final MemorySegment ring;
    private final long file;
    private final int capacity;
    private final int port;
    private final Gid[] sources;
    private final int targets;
    private long head;
    /** The head that the sender knows of. */
    private long toldHead;

    private boolean wasEmpty;
    /** How many more packets are wanted. */
    private int left;

    private boolean looks;

    // The present packet, and the first word of the one behind it, 0 when it was not there yet or is not wanted.
    private long word;
    private long at;
    private long upcoming;

    /** The length of the packet that was copied last, 0 between polls. */
    private int fetched;

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
    public RingReader(MemorySegment ring, int port, List<Gid> sources, int targets) {
        this.ring = ring;
        this.file = ring.address();
        this.capacity = (int) (ring.byteSize() - HEADER_BYTES);
        this.port = port;
        this.sources = sources.toArray(Gid[]::new);
        this.targets = targets;
    }

    /**
     * Hands packets over and gives their room back.
     *
     * @param max how many at most
     * @param buffer what shows each packet
     * @return how many there were, or -1 when a record makes no sense: then nothing more is to be read here
     */
    public int poll(int max, LinkPacketHandler handler, PacketBuffer buffer) {
        int count = 0;
        int length = first(max);
        while (length > 0) {
            Gid source = source();
            boolean inPlace = NativeWords.isGranted()
                    && handler.takesInPlace(target(), source.high(), source.low(), address(), length);
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
     * Hands packets over from a file that its sender can shorten. Each packet is copied as a whole first: a fault in the midst of
     * what a packet leads to would leave that half done.
     *
     * @return what {@link #poll(int, LinkPacketHandler, PacketBuffer)} does; -1 also when the file has been shortened
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
     * Looks for a packet: one until {@link #finish} after a look that has found none, else all there are. To look behind
     * the last packet means to wait until that cache line has come from the sender's CPU, and who is sent a packet now and then
     * would wait for it with each packet before anybody sees that.
     *
     * <p>The cache line behind that of the packet's first word is looked at before it. A record of a small message lies in both: they come
     * from the sender's CPU at the same time then, not one after the other.
     *
     * @param max how many are wanted at most
     * @return its length, 0 when there is none, -1 when a record makes no sense: then nothing more is to be read here
     */
    public int first(int max) {
        long found;
        if (NativeWords.isGranted()) {
            int offset = offset();
            lineBehind = NativeWords.getLongAcquire(file + HEADER_BYTES + (offset + LINE_BYTES & capacity - 1));
            found = NativeWords.getLongAcquire(file + HEADER_BYTES + offset);
        } else {
            found = firstWord();
        }
        left = wasEmpty ? Math.min(1, max) : max;
        wasEmpty = found == 0;
        return found == 0 || left == 0 ? 0 : begin(found);
    }

    /** Looks for the next packet, if another one is wanted; returns what {@link #first} does. */
    public int next() {
        if (left == 0) {
            return 0;
        }
        long found = upcoming != 0 ? upcoming : firstWord();
        return found == 0 ? 0 : begin(found);
    }

    /**
     * Makes a packet the present one. The first word of the next record is looked at before anybody looks at the packet,
     * so that it comes from the sender's CPU meanwhile.
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
            return length == ShmRingLayout.LOOK ? look() : giveUpNow();
        }
        word = found;
        at = HEADER_BYTES + (long) offset() + RECORD_HEADER_BYTES;
        head += ShmRingLayout.recordBytes(length);
        left--;
        upcoming = left > 0 ? firstWord() : 0;
        return length;
    }

    /** One at a time: a sender that writes nothing else must not keep this thread here. */
    private int look() {
        head += ShmRingLayout.RECORD_HEADER_BYTES;
        upcoming = 0;
        left = 0;
        looks = true;
        return 0;
    }

    private int giveUpNow() {
        giveUp(ShmRingLayout.REFUSED);
        return -1;
    }

    /** Tells, once, whether the sender has said that it has handed something over. */
    public boolean takeLook() {
        boolean said = looks;
        looks = false;
        return said;
    }

    /** Gives the room of what was read back to the sender. */
    public void finish() {
        if (head != toldHead) {
            toldHead = head;
            if (NativeWords.isGranted()) {
                NativeWords.setLongRelease(file + HEAD, head);
            } else {
                LONG.setRelease(ring, (long) HEAD, head);
            }
        }
    }

    /** Returns where the present packet begins. */
    public long address() {
        return file + at;
    }

    /** Returns whom the present packet came from. */
    public Gid source() {
        return sources[ShmRingLayout.source(word)];
    }

    /** Returns the index of the own address that the present packet came to. */
    private int target() {
        return ShmRingLayout.target(word);
    }

    /** Hands the present packet over by way of a buffer. */
    public void handTo(LinkPacketHandler handler, PacketBuffer buffer) {
        Gid source = source();
        buffer.show(ring, at, ShmRingLayout.length(word));
        handler.onPacket(target(), source.high(), source.low(), port, buffer);
    }

    /** Returns the first eight bytes of the next record, 0 when there is none. */
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

    /** Tells whether a record waits. */
    public boolean hasNext() {
        return firstWord() != 0;
    }

    /**
     * Tells whether the sender has written something that cannot be found: nothing will ever be read here again. Another thread may read
     * meanwhile: what is found counts only if that has read nothing.
     */
    public boolean isStalled() {
        long seen = head;
        long tail = (long) LONG.getAcquire(ring, (long) TAIL);
        return tail > seen && firstWord(seen) == 0 && head == seen;
    }

    /** Tells the sender that nothing more is read here, and why. */
    public void giveUp(int why) {
        INT.setRelease(ring, (long) GIVEN_UP, why);
    }

    /** Returns how many bytes were taken. */
    public long head() {
        return head;
    }
}
