package io.rdmarpc.verbs.suite;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;

/** The suite for two software RNICs, over UDP on loopback. */
@DisplayName("Software RNIC over UDP")
class SoftUdpSuiteTest {

    private static final SuiteProvider SOFT_UDP = new SuiteProvider(
            "soft/UDP",
            "soft",
            Map.of("soft.addresses", "127.0.0.1", "soft.port", "0", "soft.shared-memory.enabled", "false"),
            Map.of(Trait.POST_REJECTS_ODD_ATOMIC, "the peer rejects it"));

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

    @Nested
    @DisplayName("flags and postlists")
    class RequestFlag extends RequestFlagCases {
        RequestFlag() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("a receiver that is late")
    class NotReady extends NotReadyCases {
        NotReady() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("shared receive queues")
    class SharedReceive extends SharedReceiveCases {
        SharedReceive() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("requests that cannot work")
    class BadRequest extends BadRequestCases {
        BadRequest() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("flushing")
    class Flush extends FlushCases {
        Flush() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("states")
    class State extends StateCases {
        State() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("completion queues")
    class Completion extends CompletionCases {
        Completion() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("datagrams")
    class Datagram extends DatagramCases {
        Datagram() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("memory regions")
    class Registration extends RegistrationCases {
        Registration() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("closing")
    class Closing extends ClosingCases {
        Closing() {
            super(SOFT_UDP);
        }
    }

    @Nested
    @DisplayName("the device")
    class Device extends DeviceCases {
        Device() {
            super(SOFT_UDP);
        }
    }
}
