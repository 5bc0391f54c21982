package io.rdmarpc.transport;

import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run creates one")
class LentMemoryDeviceTest extends LentMemoryCases {

    @Override
    NicContext open() {
        return NicContext.open(NicConfig.DEFAULTS.withProvider("ibverbs", Map.of()));
    }
}
