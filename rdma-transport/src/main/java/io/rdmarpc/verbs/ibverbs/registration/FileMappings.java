package io.rdmarpc.verbs.ibverbs.registration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Determines whether the pages of a mapped file may be pinned for writing. Since Linux 6.4 the kernel rejects that for
 * shared mappings of file systems that write pages back to a disk. Older kernels permitted it and sometimes corrupted
 * data. Pages of file systems in memory may be pinned. Pages of private mappings may be pinned too, because they are
 * copies.
 *
 * @param process the process's directory in {@code /proc}
 */
record FileMappings(Path process) {

    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "hugetlbfs", "ramfs");

    /** Files of {@code memfd_create} are on a tmpfs that is not mounted. */
    private static final String MEMFD = "/memfd:";

    static FileMappings ofThisProcess() {
        return new FileMappings(Path.of("/proc/self"));
    }

    /**
     * Describes the file that these bytes map, if its pages must not be pinned for writing; otherwise returns empty.
     */
    Optional<String> notPinnable(long address, long bytes) {
        List<Mount> mounts = lines("mountinfo").map(Mount::parse).toList();
        return lines("maps")
                .map(Mapping::parse)
                .filter(mapping -> mapping.overlaps(address, address + bytes) && mapping.shared() && !mapping.isMemfd())
                .flatMap(mapping -> problem(mapping, mounts).stream())
                .findFirst();
    }

    private Stream<String> lines(String file) {
        try {
            return Files.readAllLines(process.resolve(file)).stream();
        } catch (IOException e) {
            return Stream.empty(); // Without /proc only the kernel checks this.
        }
    }

    private static Optional<String> problem(Mapping mapping, List<Mount> mounts) {
        Mount mount = mountOf(mapping, mounts);
        if (mount != null && IN_MEMORY.contains(mount.type())) {
            return Optional.empty();
        }
        return Optional.of(mapping.path() + " on a file system of type " + (mount == null ? "unknown" : mount.type()));
    }

    /**
     * Finds the mount by device number. A file on an overlay has the device number of the lower layer. If that layer is
     * not mounted, finds the mount by path.
     */
    private static @Nullable Mount mountOf(Mapping mapping, List<Mount> mounts) {
        return mounts.stream()
                .filter(mount -> mount.device().equals(mapping.device()))
                .findFirst()
                .or(() -> mounts.stream()
                        .filter(mount -> mount.contains(mapping.path()))
                        .max(Comparator.comparingInt(mount -> mount.point().length())))
                .orElse(null);
    }

    /**
     * A line of {@code maps}: {@code 7f1200000000-7f1200001000 rw-s 00000000 00:1e 12345   /dev/shm/file}.
     *
     * @param from first address
     * @param to address after the last
     * @param shared whether writes reach the file
     * @param device major and minor number, decimal
     * @param path the file, empty if there is none
     */
    private record Mapping(long from, long to, boolean shared, String device, String path) {

        private static final int FIELDS = 6;
        private static final int HEX = 16;

        static Mapping parse(String line) {
            String[] fields = line.split("\\s+", FIELDS);
            String[] range = fields[0].split("-", 2);
            String[] device = fields[3].split(":", 2);
            return new Mapping(
                    Long.parseUnsignedLong(range[0], HEX),
                    Long.parseUnsignedLong(range[1], HEX),
                    fields[1].endsWith("s"),
                    Integer.parseInt(device[0], HEX) + ":" + Integer.parseInt(device[1], HEX),
                    fields.length < FIELDS ? "" : fields[FIELDS - 1]);
        }

        boolean overlaps(long first, long end) {
            return Long.compareUnsigned(from, end) < 0 && Long.compareUnsigned(first, to) < 0;
        }

        boolean isMemfd() {
            return path.startsWith(MEMFD);
        }
    }

    /**
     * A line of {@code mountinfo}: {@code 34 24 0:31 / /dev/shm rw,relatime shared:5 - tmpfs shm rw,inode64}.
     *
     * @param device major and minor number, decimal
     * @param point the mount point
     * @param type the file system
     */
    private record Mount(String device, String point, String type) {

        private static final int DEVICE = 2;
        private static final int POINT = 4;

        /** Compares whole directories: {@code /data} does not contain {@code /database/file}. */
        boolean contains(String path) {
            return path.startsWith(point.endsWith("/") ? point : point + "/");
        }

        static Mount parse(String line) {
            String[] fields = line.split(" ", -1);
            String afterDash = line.substring(line.indexOf(" - ") + " - ".length());
            return new Mount(
                    fields[DEVICE],
                    fields[POINT].replace("\\040", " "),
                    afterDash.split(" ", 2)[0]);
        }
    }
}
