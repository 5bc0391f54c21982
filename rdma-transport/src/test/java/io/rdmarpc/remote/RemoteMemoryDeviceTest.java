package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** {@link RemoteMemoryCases} on a real device. */
@Tag("rdma-device")
@EnabledIf(value = "deviceIsThere", disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(600)
class RemoteMemoryDeviceTest extends RemoteMemoryCases {

    /** In the virtual machine a device that is missing is a failure. */
    static boolean deviceIsThere() {
        return System.getenv("SOFT_ROCE_VM") != null || Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

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
