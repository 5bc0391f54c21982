package io.rdmarpc.benchmarks.memory;

import java.util.HashMap;
import java.util.Map;

/** READs of 1 MiB, some at a time. */
interface Reads extends AutoCloseable {

    /** How long each is. */
    int BYTES = 1 << 20;

    /** How many are under way. */
    int AT_A_TIME = 16;

    /** Reads so often. Returns bytes for each nanosecond, which is GB/s. */
    double measure(int count);

    @Override
    void close();

    /** Options of the software RNIC for one of its links. */
    static Map<String, String> options(boolean sharedMemory) {
        Map<String, String> options = new HashMap<>(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        options.put("soft.shared-memory.enabled", Boolean.toString(sharedMemory));
        return options;
    }
}
