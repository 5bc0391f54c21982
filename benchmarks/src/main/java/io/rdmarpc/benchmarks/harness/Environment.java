package io.rdmarpc.benchmarks.harness;

import io.rdmarpc.benchmarks.table.CsvRow;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** Describes the machine and the program that figures come from. */
final class Environment {

    /** Name of the file that has a name and a value in each line. */
    static final String FILE = "environment.csv";

    private static final double KIB_PER_GIB = 1 << 20;

    private Environment() {}

    static void write(Path file, String commit) throws IOException {
        String cpu = value("/proc/cpuinfo", "model name", System.getProperty("os.arch"));
        String memory = value("/proc/meminfo", "MemTotal", "").replaceAll("\\D", "");
        write(file, "CPU", cpu + ", " + Runtime.getRuntime().availableProcessors() + " of them");
        if (!memory.isEmpty()) {
            write(file, "Memory", String.format(Locale.ROOT, "%.1f GiB", Double.parseDouble(memory) / KIB_PER_GIB));
        }
        write(file, "Kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        write(file, "JVM", System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"));
        write(file, "Commit", commit);
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        write(file, "Load at the start", String.format(Locale.ROOT, "%.2f", load));
    }

    private static void write(Path file, String name, String value) throws IOException {
        CsvRow.of("name", name, "value", value).appendTo(file);
    }

    private static String value(String file, String name, String unknown) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(name))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(unknown);
        } catch (IOException e) {
            return unknown;
        }
    }
}
