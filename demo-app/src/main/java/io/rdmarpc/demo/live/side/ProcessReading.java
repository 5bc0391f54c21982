package io.rdmarpc.demo.live.side;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * What a process has used.
 *
 * @param pid its id
 * @param cpuNanos CPU time since it was started
 * @param heapBytes heap in use
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
