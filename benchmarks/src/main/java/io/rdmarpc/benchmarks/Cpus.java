package io.rdmarpc.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Gives a polling thread a CPU of its own. Two of them on one CPU would wait for each other's time slices: milliseconds
 * where microseconds are measured. The compiler's threads stay free to run where there is room.
 */
public final class Cpus {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cpus() {}

    /**
     * Pins the calling thread with {@code taskset}. Says on standard error when it cannot: without {@code taskset}, or
     * where there is no such CPU.
     *
     * @param which 0 for the first CPU that this process may use
     */
    public static void pin(int which) {
        try {
            List<Integer> allowed = allowed();
            if (which >= allowed.size() || !taskset(allowed.get(which))) {
                System.err.println("not pinned: no CPU of its own for thread " + which);
            }
        } catch (IOException e) {
            System.err.println("not pinned: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean taskset(int cpu) throws IOException, InterruptedException {
        String thread = Files.readSymbolicLink(THIS_THREAD).getFileName().toString();
        Process taskset = new ProcessBuilder("taskset", "-p", "-c", Integer.toString(cpu), thread)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return taskset.waitFor(10, TimeUnit.SECONDS) && taskset.exitValue() == 0;
    }

    private static List<Integer> allowed() throws IOException {
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith(ALLOWED)) {
                return parse(line.substring(ALLOWED.length()).strip());
            }
        }
        return List.of();
    }

    /** Reads a list as the kernel writes it: {@code 0-3,8}. */
    static List<Integer> parse(String list) {
        List<Integer> cpus = new ArrayList<>();
        for (String part : list.split(",", -1)) {
            String[] ends = part.split("-", -1);
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int cpu = Integer.parseInt(ends[0]); cpu <= last; cpu++) {
                cpus.add(cpu);
            }
        }
        return cpus;
    }
}
