package io.rdmarpc.benchmarks.memory;

import java.util.HashMap;
import java.util.Map;

/** READs of 1 MiB with several in flight. */
interface Reads extends AutoCloseable {

    /** Bytes per READ. */
    int BYTES = 1 << 20;

    /** Number of READs in flight. */
    int AT_A_TIME = 16;

    /** Makes this number of READs. Returns bytes per nanosecond, which is GB/s. */
    double measure(int count);

    @Override
    void close();

    /** Returns options of the software RNIC for shared memory or UDP. */
    static Map<String, String> options(boolean sharedMemory) {
        Map<String, String> options = new HashMap<>(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        options.put("soft.shared-memory.enabled", Boolean.toString(sharedMemory));
        return options;
    }
}
