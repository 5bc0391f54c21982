package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** {@link RemoteMemoryCases} on a real device. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(600)
class RemoteMemoryDeviceTest extends RemoteMemoryCases {

    @Override
    RdmaRuntime openRuntime() {
        return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("ibverbs", Map.of()), Memories.PATIENT);
    }

    @Override
    RemoteMemoryConfig config() {
        return RemoteMemoryConfig.DEFAULTS.withProvider("ibverbs", Map.of()).withAnswerTimeout(Duration.ofSeconds(60));
    }

    @Override
    int manyLeases() {
        return 1_000;
    }
}
