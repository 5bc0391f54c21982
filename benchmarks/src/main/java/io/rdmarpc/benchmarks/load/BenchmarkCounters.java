package io.rdmarpc.benchmarks.load;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * Resources that a process has used.
 *
 * @param cpuNanos CPU time of all its threads in nanoseconds
 * @param allocatedBytes bytes of heap memory that all its threads have allocated
 * @param collectorMillis time in garbage collections in milliseconds
 * @param compilerMillis total time of the JIT compilers in milliseconds; 0 if the JVM does not report it
 */
public record BenchmarkCounters(long cpuNanos, long allocatedBytes, long collectorMillis, long compilerMillis) {

    /** Counters that are all 0. */
    public static final BenchmarkCounters NONE = new BenchmarkCounters(0, 0, 0, 0);

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final @Nullable CompilationMXBean COMPILERS = ManagementFactory.getCompilationMXBean();

    static BenchmarkCounters now() {
        return new BenchmarkCounters(
                SYSTEM.getProcessCpuTime(),
                THREADS.getTotalThreadAllocatedBytes(),
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                        .sum(),
                COMPILERS == null ? 0 : COMPILERS.getTotalCompilationTime());
    }

    BenchmarkCounters since(BenchmarkCounters before) {
        return new BenchmarkCounters(
                cpuNanos - before.cpuNanos,
                allocatedBytes - before.allocatedBytes,
                collectorMillis - before.collectorMillis,
                compilerMillis - before.compilerMillis);
    }

    /**
     * Adds other counters to these.
     *
     * @param others resources used at another time
     * @return the sum
     */
    public BenchmarkCounters plus(BenchmarkCounters others) {
        return new BenchmarkCounters(
                cpuNanos + others.cpuNanos,
                allocatedBytes + others.allocatedBytes,
                collectorMillis + others.collectorMillis,
                compilerMillis + others.compilerMillis);
    }

    static BenchmarkCounters parse(String words) {
        String[] each = words.split(" ", -1);
        return new BenchmarkCounters(
                Long.parseLong(each[0]), Long.parseLong(each[1]), Long.parseLong(each[2]), Long.parseLong(each[3]));
    }

    String words() {
        return cpuNanos + " " + allocatedBytes + " " + collectorMillis + " " + compilerMillis;
    }
}
