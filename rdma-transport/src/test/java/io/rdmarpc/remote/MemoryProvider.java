package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.Map;

/** What remote memory is tested on: a provider, and the network between two of its devices. */
interface MemoryProvider {

    /** Its name. */
    String provider();

    /** What is set of it. */
    Map<String, String> options();

    /** Opens a runtime there. */
    default RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider(provider(), options()), Memories.PATIENT);
    }

    /** Settings of memory there. */
    default RemoteMemoryConfig config() {
        return RemoteMemoryConfig.DEFAULTS
                .withProvider(provider(), options())
                .withAnswerTimeout(Duration.ofSeconds(60));
    }

    /** How many leases are many. */
    int manyLeases();

    /** Packets may be lost on the way. */
    default boolean losesPackets() {
        return false;
    }
}
