package io.rdmarpc.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Pins each polling thread to its own CPU. Two polling threads on one CPU would wait for each other's time slices.
 * These last milliseconds, while the benchmarks measure microseconds. The JIT compiler's threads are not pinned.
 */
public final class Cpus {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path THIS_THREAD = Path.of("/proc/thread-self");
    private static final String ALLOWED = "Cpus_allowed_list:";

    private Cpus() {}

    /**
     * Pins the calling thread by {@code taskset}. Prints a warning to standard error if {@code taskset} is missing or
     * fails, or if there is no such CPU.
     *
     * @param which rank of the CPU among those that this process may use, from 0
     */
    public static void pin(int which) {
        try {
            List<Integer> allowed = allowed();
            if (which >= allowed.size() || !taskset(allowed.get(which))) {
                System.err.println("cannot pin the thread: there is no CPU of rank " + which + ", or taskset failed");
            }
        } catch (IOException e) {
            System.err.println("cannot pin the thread: " + e.getMessage());
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

    /** Parses a CPU list in the kernel's format, such as {@code 0-3,8}. */
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
