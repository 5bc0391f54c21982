package io.rdmarpc.benchmarks.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Measures the share of the CPUs that other programs use during a measurement. This matters, because two threads that
 * exchange messages both wait if one of them is preempted.
 */
public final class OtherPrograms {

    private static final Path STATISTICS = Path.of("/proc/stat");
    private static final Path OWN_STATISTICS = Path.of("/proc/self/stat");

    /** Index of the user time of ended children among the fields after the command name. The kernel time follows it. */
    private static final int ENDED_CHILDREN = 13;

    private static final int IDLE = 4;
    private static final int WAITING_FOR_DISK = 5;

    /** Index after the last summed field. The guest time that follows is already part of the user time. */
    private static final int END = 9;

    /** Clock ticks per second in that file, which is the same on all Linux machines. */
    private static final double TICKS_PER_SECOND = 100;

    private final double busyBefore = busySeconds();
    private final double ownBefore = ownSeconds();
    private final long startNanos = System.nanoTime();

    /** Starts to count. */
    public OtherPrograms() {}

    /** Returns the percentage of all CPUs since this object was created. */
    public double percent() {
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        double others = busySeconds() - busyBefore - (ownSeconds() - ownBefore);
        return Math.clamp(100 * others / (seconds * Runtime.getRuntime().availableProcessors()), 0, 100);
    }

    private static double busySeconds() {
        try (Stream<String> lines = Files.lines(STATISTICS)) {
            return lines.findFirst().map(OtherPrograms::busySeconds).orElse(0.0);
        } catch (IOException e) {
            return 0;
        }
    }

    /** Parses the line {@code cpu user nice system idle iowait irq softirq steal guest guest_nice}. */
    static double busySeconds(String line) {
        String[] fields = line.strip().split("\\s+", -1);
        double ticks = 0;
        for (int i = 1; i < Math.min(END, fields.length); i++) {
            ticks += i == IDLE || i == WAITING_FOR_DISK ? 0 : Double.parseDouble(fields[i]);
        }
        return ticks / TICKS_PER_SECOND;
    }

    private static double ownSeconds() {
        ProcessHandle self = ProcessHandle.current();
        return endedSeconds()
                + Stream.concat(Stream.of(self), self.descendants())
                        .mapToDouble(OtherPrograms::seconds)
                        .sum();
    }

    private static double endedSeconds() {
        try {
            return endedSeconds(Files.readString(OWN_STATISTICS));
        } catch (IOException e) {
            return 0;
        }
    }

    /**
     * Returns the CPU time of children that have ended, from the line {@code pid (name) state ppid ... utime stime
     * cutime cstime}.
     */
    static double endedSeconds(String line) {
        String[] fields = line.substring(line.lastIndexOf(')') + 1).strip().split(" ", -1);
        return (Double.parseDouble(fields[ENDED_CHILDREN]) + Double.parseDouble(fields[ENDED_CHILDREN + 1]))
                / TICKS_PER_SECOND;
    }

    private static double seconds(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / 1e9;
    }
}
