package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.transport.NicConfig;
import java.util.Map;

/** The link between the software RNICs of the two processes. */
enum BenchmarkLink {
    SHARED_MEMORY(true),
    UDP(false);

    private final boolean sharesMemory;

    BenchmarkLink(boolean sharesMemory) {
        this.sharesMemory = sharesMemory;
    }

    boolean sharesMemory() {
        return sharesMemory;
    }

    NicConfig nic() {
        return NicConfig.DEFAULTS.withProvider(
                "soft",
                Map.of(
                        "soft.addresses",
                        "127.0.0.1",
                        "soft.port",
                        "0",
                        "soft.shared-memory.enabled",
                        Boolean.toString(sharesMemory)));
    }
}
