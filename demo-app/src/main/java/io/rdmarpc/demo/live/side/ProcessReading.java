package io.rdmarpc.demo.live.side;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * Resource usage of a process.
 *
 * @param pid process id
 * @param cpuNanos CPU time since the process started, in nanoseconds
 * @param heapBytes used heap in bytes
 * @param compilerMillis time that the JIT compiler has worked in milliseconds, 0 if unknown
 */
public record ProcessReading(long pid, long cpuNanos, long heapBytes, long compilerMillis) {

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    public static ProcessReading own() {
        Runtime runtime = Runtime.getRuntime();
        return new ProcessReading(
                ProcessHandle.current().pid(),
                SYSTEM.getProcessCpuTime(),
                runtime.totalMemory() - runtime.freeMemory(),
                compilerTimeMillis());
    }

    private static long compilerTimeMillis() {
        @Nullable CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        return compilers == null || !compilers.isCompilationTimeMonitoringSupported()
                ? 0
                : compilers.getTotalCompilationTime();
    }

    /**
     * Returns the share of all CPUs of this host that was busy since the previous call, from 0 to 1, or a negative
     * value or NaN if it is unknown.
     */
    public static double hostLoad() {
        return SYSTEM.getCpuLoad();
    }
}
