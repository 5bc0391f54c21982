package io.rdmarpc.rpc.runtime;

import io.rdmarpc.rpc.config.RpcConfig;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@link EngineCases} and {@link EngineMoreCases} on the software RNIC. */
@Timeout(300)
@ParameterizedClass
@EnumSource
class SoftEngineTest extends EngineMoreCases {

    /** The network between the two engines. */
    enum Network {
        SHARED_MEMORY(256),
        UDP(256, "soft.shared-memory.enabled=false"),
        FAULTY_UDP(
                128,
                "soft.shared-memory.enabled=false",
                "soft.faults.loss=0.01",
                "soft.faults.duplicate=0.05",
                "soft.faults.reorder=0.05",
                "soft.faults.corrupt=0.005"),
        FAULTY_SHARED_MEMORY(128, "soft.faults.loss=0.01", "soft.faults.duplicate=0.05", "soft.faults.reorder=0.05");

        private final int calls;
        private final String options;

        Network(int calls, String... options) {
            this.calls = calls;
            this.options = String.join(" ", options);
        }
    }

    @Parameter
    Network network;

    @Override
    RdmaRuntime open(RpcConfig config) {
        return Runtimes.open(config, network.options.isEmpty() ? new String[0] : network.options.split(" ", -1));
    }

    @Override
    int calls() {
        return network.calls;
    }
}
