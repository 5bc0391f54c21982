package io.rdmarpc.demo.live.side;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** By what the software RNIC reaches peers of its own host, told by the options that it was opened with. */
public final class SoftLink {

    static final String SHARED_MEMORY = "shared memory (one host)";
    public static final String UDP = "UDP";

    private static final String FAULTS = "soft.faults.";

    /** Of a fault, but none by themselves. */
    private static final Set<String> DETAILS = Set.of(FAULTS + "seed", FAULTS + "delay-duration");

    private static final Path MEMORY = Path.of("/dev/shm");

    private SoftLink() {}

    /**
     * Names it.
     *
     * @param options of the provider, by name
     */
    static String of(Map<String, String> options) {
        return of(options, Files.isWritable(MEMORY));
    }

    /** Faults are those of a network, and a dump shows what is on the wire: with either all packets go by UDP. */
    static String of(Map<String, String> options, boolean hostHasMemory) {
        boolean wanted =
                !options.getOrDefault("soft.shared-memory.enabled", "true").equals("false");
        return wanted && hostHasMemory && !options.containsKey("soft.pcap") && !hasFault(options) ? SHARED_MEMORY : UDP;
    }

    private static boolean hasFault(Map<String, String> options) {
        return options.entrySet().stream()
                .filter(option -> option.getKey().startsWith(FAULTS))
                .filter(option -> !DETAILS.contains(option.getKey()))
                .anyMatch(option -> !isZero(option.getValue()));
    }

    private static boolean isZero(String value) {
        return value.matches("[0.]*");
    }
}
