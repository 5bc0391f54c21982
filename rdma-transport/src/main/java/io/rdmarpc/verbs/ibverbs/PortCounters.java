package io.rdmarpc.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the kernel knows of a port, in files with one number each. Which files there are depends on the driver.
 *
 * <pre>
 *   ports/1/counters/port_xmit_data        those of the InfiniBand specification (PortCounters, IBA 16.1.3.5)
 *   ports/1/hw_counters/out_of_sequence    the driver's own
 * </pre>
 */
final class PortCounters {

    private static final String NO_COUNTER = "lifespan";

    private PortCounters() {}

    static Map<String, Long> read(Path device, int port) {
        Path directory = device.resolve("ports").resolve(Integer.toString(port));
        Map<String, Long> counters = new TreeMap<>();
        readAll(directory.resolve("counters"), counters);
        readAll(directory.resolve("hw_counters"), counters);
        return counters;
    }

    private static void readAll(Path directory, Map<String, Long> counters) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            files.forEach(file -> readOne(file, counters));
        } catch (IOException e) {
            // The device has gone: so have its counters.
        }
    }

    /** Some files cannot be read on some ports, and one says how long the kernel keeps the others, in milliseconds. */
    private static void readOne(Path file, Map<String, Long> counters) {
        String name = String.valueOf(file.getFileName());
        if (name.equals(NO_COUNTER)) {
            return;
        }
        try {
            counters.put(name, Long.parseUnsignedLong(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException e) {
            // Left out.
        }
    }
}
