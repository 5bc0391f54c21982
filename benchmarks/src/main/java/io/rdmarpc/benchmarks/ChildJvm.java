package io.rdmarpc.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of this program's class path, started to measure with; it reads its input and ends with it. */
public final class ChildJvm {

    private ChildJvm() {}

    /**
     * Prepares one.
     *
     * @param flags of the JVM
     * @param program the class that has {@code main}, by name
     * @param words its arguments
     * @return to be started by the caller
     */
    public static ProcessBuilder of(List<String> flags, String program, List<String> words) {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(flags);
        line.addAll(List.of("-cp", System.getProperty("java.class.path"), program));
        line.addAll(words);
        return new ProcessBuilder(line);
    }

    /**
     * Ends one by the end of its input, or by force when it does not listen or nobody waits any longer.
     *
     * @param process what was started
     * @param seconds how long it may take
     * @throws IOException when its input cannot be ended
     */
    public static void end(Process process, long seconds) throws IOException {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
