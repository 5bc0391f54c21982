package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;

/** What remote memory is tested on: a provider, and the network between two of its devices. */
interface MemoryProvider {

    /** Opens a runtime there. */
    RdmaRuntime openRuntime();

    /** Settings of memory there. */
    RemoteMemoryConfig config();

    /** How many leases are many. */
    int manyLeases();

    /** Packets may be lost on the way. */
    default boolean losesPackets() {
        return false;
    }
}
