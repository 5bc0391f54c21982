package io.rdmarpc.benchmarks.turns;

import io.rdmarpc.benchmarks.ChildJvm;
import io.rdmarpc.benchmarks.load.Pair;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.probe.ffi.ProcessSignals;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server and a client that calls it all the time, both of which are stopped but in their turns. */
final class TurningPair implements AutoCloseable {

    /** Not counted at the beginning of a turn: caches are the other processes' until then. */
    private static final long SETTLE_NANOS = 8_000_000;

    private static final long END_SECONDS = 5;

    private final Arena arena = Arena.ofShared();
    private final Path directory;
    private final List<Process> processes = new CopyOnWriteArrayList<>();
    private final CallTimes times;

    private TurningPair(Path directory) throws IOException {
        this.directory = directory;
        this.times = CallTimes.of(arena, Files.createFile(directory.resolve("times")));
    }

    /** Starts both, which takes seconds. They run until {@link #stop}. */
    static TurningPair start(Turner turner, Payload payload) throws IOException {
        TurningPair pair = new TurningPair(Files.createTempDirectory("turns"));
        try {
            String address = pair.start(turner, "serve", turner.name());
            pair.start(
                    turner,
                    "call",
                    turner.name(),
                    address,
                    payload.name(),
                    pair.directory.resolve("times").toString());
            return pair;
        } catch (IOException | RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    private String start(Turner turner, String... words) throws IOException {
        Path errors = directory.resolve(words[0]);
        ProcessBuilder builder =
                ChildJvm.of(List.of(Pair.flags().split(" ", -1)), TurnsProcess.class.getName(), List.of(words));
        turner.useBuild(builder.command());
        Process process = builder.redirectError(Redirect.to(errors.toFile())).start();
        processes.add(process);
        BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.startsWith(TurnsProcess.READY)) {
                return line.substring(TurnsProcess.READY.length());
            }
        }
        throw new IOException(
                turner + ": " + String.join(" ", words) + " has ended. It said:\n" + Files.readString(errors));
    }

    void goOn() {
        processes.forEach(ProcessSignals::goOn);
    }

    void stop() {
        processes.forEach(ProcessSignals::stop);
    }

    /**
     * Has its turn.
     *
     * @return nanoseconds of a call, not a number when there were too few
     * @throws IOException when one of the two has ended
     */
    double turn(long millis) throws IOException, InterruptedException {
        long begun = System.nanoTime();
        goOn();
        Thread.sleep(millis);
        long over = System.nanoTime();
        stop();
        for (Process process : processes) {
            if (!process.isAlive()) {
                throw new IOException("a process has ended with status " + process.exitValue() + ". It said:\n"
                        + Files.readString(directory.resolve("serve")) + Files.readString(directory.resolve("call")));
            }
        }
        return times.nanosOfACall(begun + SETTLE_NANOS, over);
    }

    /** By force, for whoever ends in between: what is stopped ends by nothing else. */
    void destroy() {
        processes.forEach(Process::destroyForcibly);
    }

    @Override
    public void close() throws IOException {
        goOn();
        for (Process process : processes.reversed()) {
            ChildJvm.end(process, END_SECONDS);
        }
        arena.close();
        for (String file : List.of("times", "serve", "call")) {
            Files.deleteIfExists(directory.resolve(file));
        }
        Files.deleteIfExists(directory);
    }
}
