package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link RemoteMemoryCases} on the software RNIC. */
@Timeout(300)
@ParameterizedClass
@EnumSource
class SoftRemoteMemoryTest extends RemoteMemoryCases {

    /** What is between the two. */
    enum Network {
        SHARED_MEMORY(10_000),
        UDP(2_000, "soft.shared-memory.enabled=false"),
        FAULTY_UDP(
                200,
                "soft.shared-memory.enabled=false",
                "soft.faults.loss=0.01",
                "soft.faults.duplicate=0.05",
                "soft.faults.reorder=0.05");

        private final int leases;
        private final Map<String, String> options = new HashMap<>();

        Network(int leases, String... more) {
            this.leases = leases;
            options.put("soft.addresses", "127.0.0.1");
            options.put("soft.port", "0");
            for (String option : more) {
                options.put(option.split("=", 2)[0], option.split("=", 2)[1]);
            }
        }
    }

    @Parameter
    Network network;

    @Override
    RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", network.options), Memories.PATIENT);
    }

    @Override
    RemoteMemoryConfig config() {
        return RemoteMemoryConfig.DEFAULTS.withProvider("soft", network.options);
    }

    @Override
    int manyLeases() {
        return network.leases;
    }
}
