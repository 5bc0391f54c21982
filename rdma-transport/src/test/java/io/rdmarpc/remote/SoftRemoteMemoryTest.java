package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
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
        private final String options;

        Network(int leases, String... options) {
            this.leases = leases;
            this.options = String.join(" ", options);
        }

        private Map<String, String> options() {
            Map<String, String> all = new HashMap<>(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
            for (String option : options.split(" ", -1)) {
                int equals = option.indexOf('=');
                if (equals > 0) {
                    all.put(option.substring(0, equals), option.substring(equals + 1));
                }
            }
            return all;
        }
    }

    @Parameter
    Network network;

    @Override
    RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", network.options()), Memories.PATIENT);
    }

    @Override
    RemoteMemoryConfig config() {
        return RemoteMemoryConfig.DEFAULTS
                .withProvider("soft", network.options())
                .withAnswerTimeout(Duration.ofSeconds(60));
    }

    @Override
    int manyLeases() {
        return network.leases;
    }

    @Override
    boolean losesPackets() {
        return network == Network.FAULTY_UDP;
    }
}
