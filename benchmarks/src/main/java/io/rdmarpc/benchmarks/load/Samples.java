package io.rdmarpc.benchmarks.load;

import java.io.IOException;
import java.nio.file.Path;
import jdk.jfr.Recording;

/** Takes samples of this process's processor time: every thread once in so much of its own. */
final class Samples implements AutoCloseable {

    private static final String PERIOD = "2ms";

    private final Recording recording = new Recording();

    /** Begins. */
    Samples() {
        recording.enable("jdk.CPUTimeSample").withStackTrace().with("throttle", PERIOD);
        recording.enable("jdk.CPUTimeSamplesLost");
        recording.start();
    }

    /** Ends, and writes what was taken. */
    void save(Path file) throws IOException {
        recording.stop();
        recording.dump(file);
    }

    @Override
    public void close() {
        recording.close();
    }
}
