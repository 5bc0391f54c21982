package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.Gid;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/** A ring that a sender has put into the own inbox. */
final class InboundRing implements AutoCloseable {

    private static final ValueLayout.OfLong NETWORK_LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    private final SharedFile file;
    private final RingReader reader;
    private final String sender;
    private final int lane;
    private long headAtLastLook = -1;

    private InboundRing(SharedFile file, RingReader reader, String sender, int lane) {
        this.file = file;
        this.lane = lane;
        this.reader = reader;
        this.sender = sender;
    }

    /** Takes a file over; nothing when it makes no sense. */
    static Optional<InboundRing> open(Path path, int targets) {
        try {
            return of(SharedFile.takeOver(path), targets);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Takes memory that was handed over; nothing when it makes no sense. */
    static Optional<InboundRing> open(MemFd memory, int targets) {
        try (memory) {
            return of(SharedFile.of(memory), targets);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<InboundRing> of(SharedFile file, int targets) {
        if (isValid(file.memory())) {
            MemorySegment ring = file.memory();
            int lane = ring.get(ValueLayout.JAVA_INT, RingLayout.LANE);
            return Optional.of(new InboundRing(file, reader(ring, targets), sender(ring), lane));
        }
        refuse(file.memory());
        file.close();
        return Optional.empty();
    }

    private static void refuse(MemorySegment ring) {
        if (ring.byteSize() >= RingLayout.HEADER_BYTES) {
            RingLayout.INT.setRelease(ring, (long) RingLayout.GIVEN_UP, 1);
        }
    }

    private static boolean isValid(MemorySegment ring) {
        long capacity = ring.byteSize() - RingLayout.HEADER_BYTES;
        return capacity >= SharedMemoryOptions.SMALLEST_RING_BYTES
                && capacity <= SharedMemoryOptions.LARGEST_RING_BYTES
                && Long.bitCount(capacity) == 1
                && ring.get(ValueLayout.JAVA_INT, 0) == RingLayout.MAGIC
                && ring.get(ValueLayout.JAVA_INT, RingLayout.CAPACITY) == capacity
                && ring.get(ValueLayout.JAVA_INT, RingLayout.ADDRESSES) > 0
                && ring.get(ValueLayout.JAVA_INT, RingLayout.ADDRESSES) <= RingLayout.MOST_ADDRESSES
                && ring.get(ValueLayout.JAVA_INT, RingLayout.LANE) >>> RingLayout.LANE_BITS == 0;
    }

    private static RingReader reader(MemorySegment ring, int targets) {
        Gid[] sources = new Gid[ring.get(ValueLayout.JAVA_INT, RingLayout.ADDRESSES)];
        for (int i = 0; i < sources.length; i++) {
            long at = RingLayout.ADDRESS_TABLE + (long) i * RingLayout.ADDRESS_BYTES;
            sources[i] = new Gid(ring.get(NETWORK_LONG, at), ring.get(NETWORK_LONG, at + Long.BYTES));
        }
        return new RingReader(ring, ring.get(ValueLayout.JAVA_INT, RingLayout.PORT), sources, targets);
    }

    private static String sender(MemorySegment ring) {
        return Inbox.name(
                ring.get(ValueLayout.JAVA_LONG, RingLayout.SENDER_JVM),
                ring.get(ValueLayout.JAVA_LONG, RingLayout.SENDER_NUMBER));
    }

    /** Returns the sender's inbox. */
    String sender() {
        return sender;
    }

    /** Returns the number of the queue pair that it leads to, 0 when it is for all. */
    int lane() {
        return lane;
    }

    RingReader reader() {
        return reader;
    }

    boolean hasNext() {
        return reader.hasNext();
    }

    /** Tells whether the sender will write no more, and all it has written was read. */
    boolean hasEnded() {
        return (int) RingLayout.INT.getAcquire(file.memory(), (long) RingLayout.ENDED) != 0 && !hasNext();
    }

    /** Tells whether the sender copies with a key just now; not when the ring is closed. */
    boolean isPinned(int key) {
        return file.memory().scope().isAlive() && pinned() == key;
    }

    /** Returns the key that the sender copies with just now, or 0. */
    int pinned() {
        return (int) RingLayout.INT.getVolatile(file.memory(), (long) RingLayout.PINNED);
    }

    boolean isStalled() {
        return reader.isStalled();
    }

    /** Tells whether nothing has come since the last call. */
    boolean isQuiet() {
        boolean quiet = reader.head() == headAtLastLook;
        headAtLastLook = reader.head();
        return quiet;
    }

    /** Takes nothing more out of the ring, and lets the sender know. */
    void giveUp() {
        reader.giveUp();
    }

    /** Gives the ring up and ends the mapping. */
    @Override
    public void close() {
        reader.giveUp();
        file.close();
    }
}
