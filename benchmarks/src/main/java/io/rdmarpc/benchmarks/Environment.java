package io.rdmarpc.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** Where the numbers come from. */
public final class Environment {

    private static final Path CPUS = Path.of("/proc/cpuinfo");

    private static final Path MEMORY = Path.of("/proc/meminfo");
    private static final double KIB_PER_GIB = 1 << 20;

    private Environment() {}

    /**
     * Describes the machine and the program.
     *
     * @param commit what is measured
     * @return CPU, memory, kernel, JVM, commit and load, one line of Markdown each
     */
    public static String text(String commit) {
        return String.format(
                Locale.ROOT,
                """
                - CPU: %s, %d of them
                - Memory: %.1f GiB
                - Kernel: %s %s
                - JVM: %s %s
                - Commit: %s
                - Load at the start: %.2f
                """,
                cpu(),
                Runtime.getRuntime().availableProcessors(),
                memoryGib(),
                System.getProperty("os.name"),
                System.getProperty("os.version"),
                System.getProperty("java.vm.name"),
                System.getProperty("java.vm.version"),
                commit,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    private static String cpu() {
        try (Stream<String> lines = Files.lines(CPUS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElseGet(Environment::architecture);
        } catch (IOException e) {
            return architecture();
        }
    }

    /** Not a number where the system does not tell. */
    private static double memoryGib() {
        try (Stream<String> lines = Files.lines(MEMORY)) {
            return lines.filter(line -> line.startsWith("MemTotal"))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / KIB_PER_GIB)
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException e) {
            return Double.NaN;
        }
    }

    private static String architecture() {
        return System.getProperty("os.arch");
    }
}
