package io.rdmarpc.demo.live.side;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * Determines from the options of the software RNIC whether it reaches peers on the same host over shared memory or UDP.
 */
public final class SoftLink {

    static final String SHARED_MEMORY = "shared memory (one host)";
    public static final String UDP = "UDP";

    private static final String FAULTS = "soft.faults.";

    /** Options that configure a fault but do not cause one by themselves. */
    private static final Set<String> DETAILS = Set.of(FAULTS + "seed", FAULTS + "delay-duration");

    private static final Path MEMORY = Path.of("/dev/shm");

    private SoftLink() {}

    /**
     * Returns the name of the medium.
     *
     * @param options options of the provider, by name
     */
    static String of(Map<String, String> options) {
        return of(options, Files.isWritable(MEMORY));
    }

    /** Returns UDP if the options set a fault or a packet dump, because both apply only to UDP packets. */
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
