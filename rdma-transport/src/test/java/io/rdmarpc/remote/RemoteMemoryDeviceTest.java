package io.rdmarpc.remote;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Remote memory on a real device. */
@Tag("rdma-device")
@EnabledIf(value = "deviceIsThere", disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(600)
class RemoteMemoryDeviceTest {

    /** In the virtual machine a device that is missing is a failure. */
    static boolean deviceIsThere() {
        return System.getenv("SOFT_ROCE_VM") != null || Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    private static final MemoryProvider DEVICE = new MemoryProvider() {

        @Override
        public RdmaRuntime openRuntime() {
            return RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("ibverbs", Map.of()), Memories.PATIENT);
        }

        @Override
        public RemoteMemoryConfig config() {
            return RemoteMemoryConfig.DEFAULTS
                    .withProvider("ibverbs", Map.of())
                    .withAnswerTimeout(Duration.ofSeconds(60));
        }

        @Override
        public int manyLeases() {
            return 1_000;
        }
    };

    @Nested
    @DisplayName("operations")
    class Operations extends RemoteOperationCases {
        Operations() {
            super(DEVICE);
        }
    }

    @Nested
    @DisplayName("leases")
    class Leases extends RemoteLeaseCases {
        Leases() {
            super(DEVICE);
        }
    }

    @Nested
    @DisplayName("grants")
    class Grants extends RemoteGrantCases {
        Grants() {
            super(DEVICE);
        }
    }

    @Nested
    @DisplayName("links")
    class Links extends RemoteLinkCases {
        Links() {
            super(DEVICE);
        }
    }

    @Nested
    @DisplayName("notices")
    class Notices extends RemoteNoticeCases {
        Notices() {
            super(DEVICE);
        }
    }

    @Nested
    @DisplayName("rings")
    class Rings extends RemoteRingCases {
        Rings() {
            super(DEVICE);
        }
    }
}
