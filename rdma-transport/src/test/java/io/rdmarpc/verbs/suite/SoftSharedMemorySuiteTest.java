package io.rdmarpc.verbs.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.QueuePairType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The suite for two software RNICs of one host, through shared memory. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "rings need files in memory, which only Linux has")
@DisplayName("Software RNIC through shared memory")
class SoftSharedMemorySuiteTest {

    private static final SuiteProvider SOFT_SHARED_MEMORY = new SuiteProvider(
            "soft/shared memory",
            "soft",
            Map.of("soft.addresses", "127.0.0.1", "soft.port", "0", "soft.shared-memory.enabled", "true"),
            Map.of(Trait.POST_REJECTS_ODD_ATOMIC, "the peer rejects it"));

    /** Otherwise the suite would test UDP a second time. */
    @Test
    void shouldUseSharedMemory() throws IOException {
        try (VerbsFixture fixture = new VerbsFixture(SOFT_SHARED_MEMORY)) {
            Connection pair = fixture.connection(QueuePairType.RC);
            pair.assertWorks();
            assertThat(Files.readAllLines(Path.of("/proc/self/maps")))
                    .as("a ring is mapped")
                    .anyMatch(line -> line.contains("rdma-rpc-ring"));
        }
    }

    @Nested
    @DisplayName("messages")
    class Message extends MessageCases {
        Message() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("path MTU and packet sequence numbers")
    class PathMtu extends PathMtuCases {
        PathMtu() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("scatter and gather")
    class ScatterGather extends ScatterGatherCases {
        ScatterGather() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("atomics")
    class Atomic extends AtomicCases {
        Atomic() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("flags and postlists")
    class RequestFlag extends RequestFlagCases {
        RequestFlag() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("a receiver that is late")
    class NotReady extends NotReadyCases {
        NotReady() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("shared receive queues")
    class SharedReceive extends SharedReceiveCases {
        SharedReceive() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("requests that cannot work")
    class BadRequest extends BadRequestCases {
        BadRequest() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("flushing")
    class Flush extends FlushCases {
        Flush() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("states")
    class State extends StateCases {
        State() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("completion queues")
    class Completion extends CompletionCases {
        Completion() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("datagrams")
    class Datagram extends DatagramCases {
        Datagram() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("memory regions")
    class Registration extends RegistrationCases {
        Registration() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("closing")
    class Closing extends ClosingCases {
        Closing() {
            super(SOFT_SHARED_MEMORY);
        }
    }

    @Nested
    @DisplayName("the device")
    class Device extends DeviceCases {
        Device() {
            super(SOFT_SHARED_MEMORY);
        }
    }
}
