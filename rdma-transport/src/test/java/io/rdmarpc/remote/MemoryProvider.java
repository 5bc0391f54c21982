package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.Map;

/** The environment of a test: a provider, and the network between two of its devices. */
interface MemoryProvider {

    /** Returns the provider name. */
    String provider();

    /** Returns the provider options. */
    Map<String, String> options();

    /** Opens a runtime in this environment. */
    default RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider(provider(), options()), Memories.PATIENT);
    }

    /** Returns the settings of remote memory in this environment. */
    default RemoteMemoryConfig config() {
        return RemoteMemoryConfig.DEFAULTS
                .withProvider(provider(), options())
                .withResponseTimeout(Duration.ofSeconds(60));
    }

    /** Returns the number of leases in tests with many leases. */
    int manyLeases();

    /** Returns whether the network may lose packets. */
    default boolean losesPackets() {
        return false;
    }
}
