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
                            "rxe of Linux 6.1 reports LOC_QP_OP_ERR for sends from memory"),
                    Map.entry(
                            Trait.RECEIVE_INTO_WRONG_KEY_IS_LOC_PROT_ERR,
                            "rxe of Linux 6.1 ends the receive with LOC_QP_OP_ERR"),
                    Map.entry(
                            Trait.SHORT_RECEIVE_IS_REM_INV_REQ_ERR,
                            "rxe of Linux 6.1 reports REM_OP_ERR to the sender and LOC_QP_OP_ERR to the receiver"),
                    Map.entry(Trait.ODD_ATOMIC_REACHES_THE_PEER, "rxe rejects the post"),
                    Map.entry(Trait.POST_REJECTS_LONG_DATAGRAM, "rxe completes it with success and sends nothing"),
                    Map.entry(Trait.SHORT_DATAGRAM_RECEIVE_DROPS, "rxe moves the receiver's queue pair to ERR"),
                    Map.entry(Trait.FLUSHES_RECEIVES_POSTED_IN_ERR, "rxe flushes them when ERR is set again"),
                    Map.entry(Trait.RESET_TO_ERR, "the kernel rejects the transition"),
                    Map.entry(Trait.POLL_REPORTS_OVERRUN, "rxe reports it only by the event CQ_ERR"),
                    Map.entry(
                            Trait.QUEUES_ACCEPT_THE_REPORTED_SIZE,
                            "rxe rounds queues up: a queue of 16 accepts 31 and reports 16"),
                    Map.entry(Trait.CONTROLLED_QKEY, "rxe sends the QKEY of the request unchanged"),
                    Map.entry(Trait.SEND_ERROR_STATE, "rxe moves every queue pair to ERR")));

    /** Returns whether to run. In the virtual machine always, so that a missing device is a failure. */
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
