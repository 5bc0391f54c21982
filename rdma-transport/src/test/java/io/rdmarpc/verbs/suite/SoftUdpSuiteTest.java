package io.rdmarpc.verbs.suite;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/** The suite on the software RNIC, two of them over UDP on loopback. */
@DisplayName("Software RNIC over UDP")
class SoftUdpSuiteTest {

    private static final SuiteProvider SOFT_UDP = new SuiteProvider(
            "soft/UDP",
            "soft",
            Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"),
            Map.of(
                    Trait.ODD_ATOMIC_IS_REFUSED_BY_THE_POST,
                    "it goes out and the peer refuses it",
                    Trait.DRAINS_SENDS,
                    "the software RNIC has no state SQD"));

    @Nested
    @DisplayName("messages")
    class Message extends MessageCases {
        Message() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("path MTU and packet sequence numbers")
    class PathMtu extends PathMtuCases {
        PathMtu() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("scatter and gather")
    class ScatterGather extends ScatterGatherCases {
        ScatterGather() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("atomics")
    class Atomic extends AtomicCases {
        Atomic() {
            super(SOFT_UDP);
        }
    }
}
