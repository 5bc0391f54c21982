package io.rdmarpc.verbs.suite;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;

/** The suite on the kernel's rxe of Linux 6.1; both ends are the first device. */
@Tag("rdma-device")
@EnabledIf(value = "deviceIsThere", disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@DisplayName("Soft-RoCE device")
class RxeSuiteDeviceTest {

    private static final SuiteProvider RXE = new SuiteProvider(
            "rxe",
            "ibverbs",
            Map.of(),
            Map.ofEntries(
                    Map.entry(
                            Trait.SEND_FROM_WRONG_KEY_IS_LOC_PROT_ERR,
                            "rxe of Linux 6.1 answers LOC_QP_OP_ERR where it sends from memory"),
                    Map.entry(
                            Trait.RECEIVE_INTO_WRONG_KEY_IS_LOC_PROT_ERR,
                            "rxe of Linux 6.1 ends the receive with LOC_QP_OP_ERR"),
                    Map.entry(
                            Trait.SHORT_RECEIVE_IS_REM_INV_REQ_ERR,
                            "rxe of Linux 6.1 tells the sender REM_OP_ERR and the receiver LOC_QP_OP_ERR"),
                    Map.entry(Trait.ODD_ATOMIC_REACHES_THE_PEER, "rxe refuses it at the post"),
                    Map.entry(Trait.LONG_DATAGRAM_IS_REFUSED, "rxe completes it with success and sends nothing"),
                    Map.entry(Trait.SHORT_DATAGRAM_RECEIVE_DROPS, "rxe takes the queue pair of the receiver to ERR"),
                    Map.entry(
                            Trait.FLUSHES_RECEIVES_POSTED_IN_ERR,
                            "rxe flushes them when the queue pair is taken to ERR again"),
                    Map.entry(Trait.RESET_TO_ERR, "the kernel refuses the step"),
                    Map.entry(Trait.POLL_TELLS_OF_OVERRUN, "rxe tells of it by the event CQ_ERR only"),
                    Map.entry(
                            Trait.QUEUES_ARE_AS_LARGE_AS_THEY_SAY,
                            "rxe rounds queues up: asked for 16 it takes 31 and reports 16"),
                    Map.entry(Trait.CONTROLLED_QKEY, "rxe sends the QKEY of the request as it is"),
                    Map.entry(Trait.SEND_ERROR_STATE, "rxe takes every queue pair to ERR")));

    /** In the virtual machine a device that is missing is a failure. */
    static boolean deviceIsThere() {
        return System.getenv("SOFT_ROCE_VM") != null || Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    @Nested
    @DisplayName("messages")
    class Message extends MessageCases {
        Message() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("path MTU and packet sequence numbers")
    class PathMtu extends PathMtuCases {
        PathMtu() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("scatter and gather")
    class ScatterGather extends ScatterGatherCases {
        ScatterGather() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("atomics")
    class Atomic extends AtomicCases {
        Atomic() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("flags and postlists")
    class RequestFlag extends RequestFlagCases {
        RequestFlag() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("a receiver that is late")
    class NotReady extends NotReadyCases {
        NotReady() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("shared receive queues")
    class SharedReceive extends SharedReceiveCases {
        SharedReceive() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("requests that cannot work")
    class BadRequest extends BadRequestCases {
        BadRequest() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("flushing")
    class Flush extends FlushCases {
        Flush() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("states")
    class State extends StateCases {
        State() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("completion queues")
    class Completion extends CompletionCases {
        Completion() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("datagrams")
    class Datagram extends DatagramCases {
        Datagram() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("memory regions")
    class Registration extends RegistrationCases {
        Registration() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("closing")
    class Closing extends ClosingCases {
        Closing() {
            super(RXE);
        }
    }

    @Nested
    @DisplayName("the device")
    class Device extends DeviceCases {
        Device() {
            super(RXE);
        }
    }
}
