package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.Median;
import io.rdmarpc.benchmarks.probe.ProbeSharedFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Times at which batches of calls ended, by {@code System.nanoTime}, which is the same clock for all processes on
 * Linux. The client writes them. The process that stops the client reads them. All builds that are compared must use
 * this format.
 *
 * <pre>
 *   byte 0                            8
 *        number of all batches u64    time of each of the last 65536, in nanoseconds
 * </pre>
 */
final class CallTimes {

    /** Default number of calls per batch. Reading the clock takes a tenth of a short call. */
    static final int BATCH = 100;

    private static final int KEPT = 1 << 16;
    private static final int FEWEST = 6;
    private static final long BYTES = (1L + KEPT) * Long.BYTES;
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

    private final MemorySegment memory;

    private CallTimes(MemorySegment memory) {
        this.memory = memory;
    }

    static CallTimes of(Arena arena, Path file) throws IOException {
        return new CallTimes(ProbeSharedFile.map(arena, file, BYTES));
    }

    /** Records the end of a batch. The client calls it. */
    void note(long nanos) {
        long batches = (long) LONG.get(memory, 0L);
        LONG.set(memory, place(batches), nanos);
        LONG.setRelease(memory, 0L, batches + 1);
    }

    /**
     * Returns the median time of the batches that began and ended between two times. The client must be stopped.
     *
     * @return nanoseconds, or NaN if there were too few batches
     */
    double nanosOfABatch(long from, long to) {
        long batches = (long) LONG.getAcquire(memory, 0L);
        long oldest = Math.max(0, batches - KEPT);
        double[] times = new double[(int) (batches - oldest)];
        int count = 0;
        long later = Long.MAX_VALUE;
        for (long i = batches - 1; i >= oldest; i--) {
            long ended = (long) LONG.get(memory, place(i));
            if (later <= to) {
                times[count++] = later - ended;
            }
            if (ended < from) {
                count -= later <= to ? 1 : 0;
                break;
            }
            later = ended;
        }
        return count < FEWEST ? Double.NaN : Median.of(Arrays.copyOf(times, count));
    }

    private static long place(long batch) {
        return (1 + batch % KEPT) * Long.BYTES;
    }
}
