package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.verbs.soft.ffi.StreamingStores;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * Rewrites local memory that a peer on this host has read in place. The cache lines are in the caches of the peer's
 * CPU, and an ordinary store first acquires its line (read for ownership). This takes 1 to 4 ns for each line if both
 * CPUs share a cache. Without a shared cache it takes 27 ns (fourth-generation EPYC), or 0.4 ms for 1 MiB. A CPU can
 * wait for only a few lines at a time. Streaming stores take 2 ns for each line without any wait. But they leave
 * nothing in a cache, so that a peer nearby reads the memory at half the speed. So this class measures how long the
 * acquisition takes. It repeats the measurement from time to time, because processes migrate between CPUs.
 *
 * <pre>
 *   near:  an ordinary copy                 or a user's stores
 *   far:   a copy by streaming stores       or lines cleared by streaming stores, then a user's stores
 * </pre>
 *
 * <p>There is one instance for each memory region. Any thread may use it; threads may miss each other's measurements.
 */
final class NonTemporalCopier {

    /** Minimum size for which a measurement pays off. */
    static final int MIN_BYTES = 16 << 10;

    /** The bytes that a measurement writes: 64 lines. */
    static final int MEASURED_BYTES = 4096;

    /** A measurement is valid for this number of bytes, so that its cost is negligible for small messages. */
    static final int MEASUREMENT_VALID_BYTES = 512 << 10;

    /**
     * The threshold, 10 ns for each line. If acquiring a line takes longer, clearing and then writing it takes at most
     * half of that time.
     */
    static final int FAR_NANOS = 10 * MEASURED_BYTES / StreamingStores.LINE_BYTES;

    private static final int IN_LINE = StreamingStores.LINE_BYTES - 1;

    private final NanoClock clock;
    private volatile boolean far;
    private volatile long validBytes;

    NonTemporalCopier(NanoClock clock) {
        this.clock = clock;
    }

    /** Prepares memory for writes by the user; its content is lost. */
    void prepare(MemorySegment memory) {
        long head = headBytes(memory);
        MemorySegment lines = memory.asSlice(head, linesBytes(memory, head));
        if (areFar(lines)) {
            StreamingStores.clear(lines);
        }
    }

    /** Copies to memory whose content is obsolete; both segments have the same length. */
    void copy(MemorySegment from, MemorySegment to) {
        long head = headBytes(to);
        MemorySegment lines = to.asSlice(head, linesBytes(to, head));
        if (!areFar(lines)) {
            to.copyFrom(from);
            return;
        }
        long tail = head + lines.byteSize();
        StreamingStores.copy(from.asSlice(head, lines.byteSize()), lines);
        MemorySegment.copy(from, 0, to, 0, head);
        MemorySegment.copy(from, tail, to, tail, to.byteSize() - tail);
    }

    private static long headBytes(MemorySegment memory) {
        return Math.min(-memory.address() & IN_LINE, memory.byteSize());
    }

    private static long linesBytes(MemorySegment memory, long head) {
        return memory.byteSize() - head & ~IN_LINE;
    }

    private boolean areFar(MemorySegment lines) {
        if (lines.byteSize() < MIN_BYTES || !StreamingStores.areReady()) {
            return false;
        }
        long valid = validBytes;
        if (valid <= 0) {
            far = takeOver(lines) > FAR_NANOS;
            valid = MEASUREMENT_VALID_BYTES;
        }
        validBytes = valid - lines.byteSize();
        return far;
    }

    /** Returns how long this CPU needs to acquire the first lines, in nanoseconds. */
    private long takeOver(MemorySegment lines) {
        long start = clock.nanoTime();
        lines.asSlice(0, MEASURED_BYTES).fill((byte) 0);
        VarHandle.fullFence();
        return clock.nanoTime() - start;
    }
}
