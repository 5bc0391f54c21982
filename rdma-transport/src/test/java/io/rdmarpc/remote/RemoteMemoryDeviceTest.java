package io.rdmarpc.remote;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Remote memory on a real device. */
@Tag("rdma-device")
@EnabledIf(value = "deviceIsThere", disabledReason = "no RDMA device found; config/soft-roce-vm/run creates one")
@Timeout(600)
class RemoteMemoryDeviceTest {

    /** Inside the virtual machine of config/soft-roce-vm a missing device is a test failure. */
    static boolean deviceIsThere() {
        return System.getenv("SOFT_ROCE_VM") != null || Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    private static final MemoryProvider DEVICE = new MemoryProvider() {

        @Override
        public String provider() {
            return "ibverbs";
        }

        @Override
        public Map<String, String> options() {
            return Map.of();
        }

        @Override
        public int manyLeases() {
            return Integer.getInteger("rdma.test.leases", 500);
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
    @DisplayName("a region of more than 4 GiB")
    @EnabledIfSystemProperty(
            named = "rdma.test.full",
            matches = "true",
            disabledReason = "the device pins the whole region")
    class LargeRegion extends RemoteMemoryFixture {
        LargeRegion() {
            super(DEVICE);
        }

        @Test
        @DisplayName("supports read, write and atomics at its start, at its end, and around 2 and 4 GiB")
        void whenAnAllocationIsLongerThan32BitsThenAllOfItIsReached() {
            reopenOwner(LargeRegionTest.limits());
            try (RemoteRegion region = peer.allocate(LargeRegionTest.BYTES, LargeRegionTest.LEASE)) {
                LargeRegionTest.assertReachable(region);
            }
        }
    }

    @Nested
    @DisplayName("processes")
    @EnabledIfSystemProperty(
            named = "rdma.test.full",
            matches = "true",
            disabledReason = "JVMs start slowly in the virtual machine")
    class Processes extends RemoteProcessCases {
        Processes() {
            super(DEVICE);
        }
    }

    @Nested
    @DisplayName("notifications")
    class Notices extends RemoteNotificationCases {
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
