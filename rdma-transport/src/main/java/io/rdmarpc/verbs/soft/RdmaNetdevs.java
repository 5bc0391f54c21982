package io.rdmarpc.verbs.soft;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The network interfaces of the kernel's RDMA devices. Such a device receives the packets of port 4791 before sockets
 * do, so a software RNIC with the same address must use another port.
 *
 * <pre>
 *   /sys/class/infiniband/DEVICE/ports/PORT/gid_attrs/ndevs/INDEX    the name of the interface that has this GID
 * </pre>
 */
final class RdmaNetdevs {

    private static final Path OF_THIS_HOST = Path.of("/sys/class/infiniband");

    private RdmaNetdevs() {}

    static Set<String> ofThisHost() {
        return in(OF_THIS_HOST);
    }

    /** Returns the names of the interfaces; an empty set if the directory does not exist. */
    static Set<String> in(Path devices) {
        Set<String> names = new TreeSet<>();
        for (Path device : entries(devices)) {
            for (Path port : entries(device.resolve("ports"))) {
                entries(port.resolve("gid_attrs/ndevs")).forEach(file -> addName(file, names));
            }
        }
        return names;
    }

    private static Iterable<Path> entries(Path directory) {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        } catch (IOException e) {
            return Set.of(); // It does not exist, or was removed in between.
        }
    }

    /** Reading an unused entry of the GID table fails. */
    private static void addName(Path file, Set<String> names) {
        try {
            String name = Files.readString(file).strip();
            if (!name.isEmpty()) {
                names.add(name);
            }
        } catch (IOException e) {
            // An unused entry has no GID.
        }
    }
}
