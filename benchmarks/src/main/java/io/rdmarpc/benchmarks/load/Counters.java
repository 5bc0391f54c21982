package io.rdmarpc.benchmarks.load;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a process has used so far.
 *
 * @param cpuNanos processor time of all its threads
 * @param allocatedBytes heap memory allocated by all its threads
 * @param collectorMillis time in collections
 */
public record Counters(long cpuNanos, long allocatedBytes, long collectorMillis) {

    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    static Counters now() {
        return new Counters(
                SYSTEM.getProcessCpuTime(),
                THREADS.getTotalThreadAllocatedBytes(),
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .mapToLong(GarbageCollectorMXBean::getCollectionTime)
                        .sum());
    }

    Counters since(Counters before) {
        return new Counters(
                cpuNanos - before.cpuNanos,
                allocatedBytes - before.allocatedBytes,
                collectorMillis - before.collectorMillis);
    }

    static Counters parse(String words) {
        String[] each = words.split(" ", -1);
        return new Counters(Long.parseLong(each[0]), Long.parseLong(each[1]), Long.parseLong(each[2]));
    }

    String words() {
        return cpuNanos + " " + allocatedBytes + " " + collectorMillis;
    }
}
