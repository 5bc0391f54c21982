package io.rdmarpc.verbs.soft.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A separate directory in shared memory, so that tests do not interfere with other processes.
 *
 * @param path the directory
 */
record StressDirectory(Path path) implements AutoCloseable {

    static StressDirectory create() throws IOException {
        return new StressDirectory(Files.createTempDirectory(Path.of("/dev/shm"), "rdma-rpc-stress-"));
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> all = Files.walk(path)) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
