package io.rdmarpc.demo.compare;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Locale;
import java.util.stream.Stream;

/** Measures the CPU time that other programs use. Not thread-safe. */
final class MachineLoad {

    /** Share of the CPUs above which measurements are unreliable. */
    static final double BUSY = 0.1;

    private final OperatingSystemMXBean system;
    private long startNanos;
    private double ownSecondsBefore;

    MachineLoad() {
        system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        restart();
    }

    /** Starts to measure. The children of this process that count as own must be running. */
    void restart() {
        // The load that the JVM reports covers the time since the previous call.
        system.getCpuLoad();
        startNanos = System.nanoTime();
        ownSecondsBefore = ownSeconds();
    }

    /**
     * Returns the share of all CPUs that other programs used since the start, from 0 to 1, or NaN if the system does not
     * report it.
     */
    double others() {
        double all = system.getCpuLoad();
        double cpus = system.getAvailableProcessors();
        double own = (ownSeconds() - ownSecondsBefore) / ((System.nanoTime() - startNanos) / 1e9) / cpus;
        return all < 0 ? Double.NaN : Math.clamp(all - own, 0, 1);
    }

    private static double ownSeconds() {
        ProcessHandle self = ProcessHandle.current();
        return Stream.concat(Stream.of(self), self.descendants())
                        .mapToLong(process -> process.info()
                                .totalCpuDuration()
                                .orElse(Duration.ZERO)
                                .toNanos())
                        .sum()
                / 1e9;
    }

    /** Returns a sentence about other programs' use of the CPUs. */
    static String describe(double others, double loadAverage, int cpus) {
        if (Double.isNaN(others)) {
            return "The system does not report how busy other programs kept the CPUs.";
        }
        String used = String.format(
                Locale.ROOT,
                "Other programs used %.0f %% of the %d CPUs meanwhile (load average %.1f",
                100 * others,
                cpus,
                loadAverage);
        return others > BUSY ? used + "): THE RATIOS MEAN NOTHING ON A BUSY MACHINE." : used + ", this demo included).";
    }

    /** Returns a sentence about other programs' use of the CPUs since the start. */
    String describe() {
        return describe(others(), system.getSystemLoadAverage(), system.getAvailableProcessors());
    }
}
