package io.rdmarpc.demo.live.side;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/** Derives from the software RNIC's options by which medium it reaches peers on the same host. */
public final class SoftLink {

    static final String SHARED_MEMORY = "shared memory (one host)";
    public static final String UDP = "UDP";

    private static final String FAULTS = "soft.faults.";

    /** Options that configure a fault but do not cause one alone. */
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

    /** Returns UDP if the options set a fault or a packet dump, because both apply to packets on the wire. */
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
