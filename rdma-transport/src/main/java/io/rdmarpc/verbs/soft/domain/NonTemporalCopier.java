package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.verbs.soft.ffi.StreamingStores;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * How own memory is written again that a peer on this host has read in place. Its lines are in the caches of the peer's CPU since, and
 * an ordinary store takes its line over first. Where both CPUs have a cache in common that takes 1 to 4 ns for each line, where
 * they have none 27 (EPYC of the fourth generation), as a CPU waits for few at a time: 0.4 ms for 1 MiB. Streaming stores wait for
 * nothing, 2 ns for each line, but leave what they write in no cache, so that a peer nearby reads it half as fast. So it is measured
 * how far the lines are, and again now and then, for processes are moved from CPU to CPU.
 *
 * <pre>
 *   near:  an ordinary copy                 or a user's stores
 *   far:   a copy by streaming stores       or lines cleared by streaming stores, then a user's stores
 * </pre>
 *
 * <p>One for each memory region. Any thread; what one measures others may miss.
 */
final class NonTemporalCopier {

    /** Less is not worth a look. */
    static final int LEAST_BYTES = 16 << 10;

    /** What is written for a look: 64 lines. */
    static final int LOOK_BYTES = 4096;

    /** A look holds for so many bytes, so that those at small messages do not count. */
    static final int LOOK_HOLDS_BYTES = 512 << 10;

    /** To clear lines and then to write them is half of taking them over, if that takes longer. */
    static final int FAR_NANOS = 10 * LOOK_BYTES / StreamingStores.LINE_BYTES;

    private static final int IN_LINE = StreamingStores.LINE_BYTES - 1;

    private final NanoClock clock;
    private volatile boolean far;
    private volatile long heldBytes;

    NonTemporalCopier(NanoClock clock) {
        this.clock = clock;
    }

    /** Makes memory cheap to write; what it holds is lost. */
    void prepare(MemorySegment memory) {
        long head = headBytes(memory);
        MemorySegment lines = memory.asSlice(head, linesBytes(memory, head));
        if (areFar(lines)) {
            StreamingStores.clear(lines);
        }
    }

    /** Copies to where what is there is of no use any more; both are of one length. */
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
        if (lines.byteSize() < LEAST_BYTES || !StreamingStores.areReady()) {
            return false;
        }
        long held = heldBytes;
        if (held <= 0) {
            far = takeOver(lines) > FAR_NANOS;
            held = LOOK_HOLDS_BYTES;
        }
        heldBytes = held - lines.byteSize();
        return far;
    }

    /** Returns in what time the first lines have become this CPU's. */
    private long takeOver(MemorySegment lines) {
        long start = clock.nanoTime();
        lines.asSlice(0, LOOK_BYTES).fill((byte) 0);
        VarHandle.fullFence();
        return clock.nanoTime() - start;
    }
}
