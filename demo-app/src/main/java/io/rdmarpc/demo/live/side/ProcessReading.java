package io.rdmarpc.demo.live.side;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Resource usage of a process.
 *
 * @param pid process id
 * @param cpuNanos CPU time since the process started, in nanoseconds
 * @param heapBytes used heap in bytes
 */
public record ProcessReading(long pid, long cpuNanos, long heapBytes) {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    public static ProcessReading own() {
        Runtime runtime = Runtime.getRuntime();
        return new ProcessReading(
                ProcessHandle.current().pid(),
                SYSTEM.getProcessCpuTime(),
                runtime.totalMemory() - runtime.freeMemory());
    }
}
