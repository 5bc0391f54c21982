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
 * @param cpuNanos processor time of all its threads
 * @param allocatedBytes heap memory allocated by all its threads
 * @param collectorMillis time in collections
 * @param compilerMillis time in which the compilers had something to do, each counted; 0 if the JVM does not report it
 */
public record BenchmarkCounters(long cpuNanos, long allocatedBytes, long collectorMillis, long compilerMillis) {

    /** Nothing used. */
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
     * Adds up.
     *
     * @param others what was used at another time
     * @return both
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
