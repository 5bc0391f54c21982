package io.rdmarpc.benchmarks.load;

import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.Recording;

/** Samples this process's CPU time: each thread once per period of its own CPU time. */
final class Samples implements AutoCloseable {

    private static final String PERIOD = "2ms";

    private final Recording recording = new Recording();

    /** Starts sampling. */
    Samples() {
        recording.enable("jdk.CPUTimeSample").withStackTrace().with("throttle", PERIOD);
        recording.enable("jdk.CPUTimeSamplesLost");
        recording.start();
    }

    /** Stops sampling and writes the samples. */
    void save(Path file) throws IOException {
        recording.stop();
        recording.dump(file);
    }

    @Override
    public void close() {
        recording.close();
    }
}
