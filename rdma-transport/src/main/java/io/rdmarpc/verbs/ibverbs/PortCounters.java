package io.rdmarpc.verbs.ibverbs;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads the kernel's counters of a port, which are files with one number each. The set of files depends on the driver.
 *
 * <pre>
 *   ports/1/counters/port_xmit_data        the counters of the InfiniBand specification (PortCounters, IBA 16.1.3.5)
 *   ports/1/hw_counters/out_of_sequence    a counter of the driver
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
            // The device was removed together with its counters.
        }
    }

    /**
     * Reads one counter. Some files cannot be read on some ports. The file {@code lifespan} is no counter: it contains
     * the time in milliseconds for which the kernel caches the counters.
     */
    private static void readOne(Path file, Map<String, Long> counters) {
        String name = String.valueOf(file.getFileName());
        if (name.equals(NO_COUNTER)) {
            return;
        }
        try {
            counters.put(name, Long.parseUnsignedLong(Files.readString(file).strip()));
        } catch (IOException | NumberFormatException e) {
            // The counter is omitted.
        }
    }
}
