package io.rdmarpc.verbs.ibverbs.registration;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.HugePageMapping;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The kernel's huge pages of the default size.
 *
 * @param device the device that needs them, for messages
 * @param memoryInfo the file with their number
 */
public record HugePages(String device, Path memoryInfo) {

    private static final String VERB = "mmap(MAP_HUGETLB)";
    private static final long USUAL_PAGE_KILOBYTES = 2048;

    public static HugePages of(String device) {
        return new HugePages(device, Path.of("/proc/meminfo"));
    }

    /** Allocates zeroed memory that is freed when the arena is closed. */
    public MemorySegment allocate(Arena arena, long bytes) {
        if (bytes <= 0) {
            throw new RdmaVerbsException(
                    VERB, device, Errno.EINVAL, bytes + " bytes were requested: request at least 1");
        }
        return HugePageMapping.map(arena, bytes, pages(bytes) * pageBytes(), device, errno -> advice(bytes));
    }

    private long pages(long bytes) {
        return Math.ceilDiv(bytes, pageBytes());
    }

    private long pageBytes() {
        return number("Hugepagesize", USUAL_PAGE_KILOBYTES) << 10;
    }

    String advice(long bytes) {
        long needed = pages(bytes);
        return bytes + " bytes require " + needed + " huge pages of " + (pageBytes() >> 10) + " KiB; "
                + number("HugePages_Free", 0) + " of " + number("HugePages_Total", 0)
                + " are free: reserve more as root with sysctl vm.nr_hugepages="
                + (number("HugePages_Total", 0) + needed) + " (permanently in /etc/sysctl.d), or use Arena.allocate";
    }

    /**
     * Returns the number in a line of the file, such as {@code HugePages_Free:        8} or
     * {@code Hugepagesize:       2048 kB}.
     */
    private long number(String name, long defaultValue) {
        try {
            return Files.readAllLines(memoryInfo).stream()
                    .filter(line -> line.startsWith(name + ":"))
                    .map(line ->
                            line.substring(name.length() + 1).replace("kB", "").strip())
                    .mapToLong(Long::parseLong)
                    .findFirst()
                    .orElse(defaultValue);
        } catch (IOException e) {
            return defaultValue;
        }
    }
}
