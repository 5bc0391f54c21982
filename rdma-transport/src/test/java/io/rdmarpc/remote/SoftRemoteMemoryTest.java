package io.rdmarpc.remote;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Remote memory on the software RNIC. */
@Timeout(300)
@ParameterizedClass
@EnumSource
class SoftRemoteMemoryTest {

    /** The network between the two devices. */
    enum Network implements MemoryProvider {
        SHARED_MEMORY(10_000),
        UDP(10_000, "soft.shared-memory.enabled=false"),
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

        @Override
        public Map<String, String> options() {
            Map<String, String> all = new HashMap<>(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
            for (String option : options.split(" ", -1)) {
                int equals = option.indexOf('=');
                if (equals > 0) {
                    all.put(option.substring(0, equals), option.substring(equals + 1));
                }
            }
            return all;
        }

        @Override
        public String provider() {
            return "soft";
        }

        @Override
        public int manyLeases() {
            return leases;
        }

        @Override
        public boolean losesPackets() {
            return this == FAULTY_UDP;
        }
    }

    @Parameter
    Network network;

    @Nested
    @DisplayName("operations")
    class Operations extends RemoteOperationCases {
        Operations() {
            super(network);
        }
    }

    @Nested
    @DisplayName("leases")
    class Leases extends RemoteLeaseCases {
        Leases() {
            super(network);
        }
    }

    @Nested
    @DisplayName("grants")
    class Grants extends RemoteGrantCases {
        Grants() {
            super(network);
        }
    }

    @Nested
    @DisplayName("links")
    class Links extends RemoteLinkCases {
        Links() {
            super(network);
        }
    }

    @Nested
    @DisplayName("notifications")
    class Notices extends RemoteNotificationCases {
        Notices() {
            super(network);
        }
    }

    @Nested
    @DisplayName("rings")
    class Rings extends RemoteRingCases {
        Rings() {
            super(network);
        }
    }
}
