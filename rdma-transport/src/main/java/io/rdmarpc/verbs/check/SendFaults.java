package io.rdmarpc.verbs.check;

import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import org.jspecify.annotations.Nullable;

/** Says what is wrong with a send work request: which one, the numbers, what to do. */
final class SendFaults {

    private SendFaults() {}

    private static String name(SendRequests requests, int index) {
        return "Work request " + index + " (" + SendOpcode.name(requests.opcode(index)) + ") ";
    }

    static String notReady(QueuePairType type, @Nullable QueuePairState state) {
        return state == null
                ? "The queue pair is closed: nothing can be sent through it"
                : "The " + type + " queue pair is in state " + state + ": sends can be posted from RTS on. Modify it"
                        + " to INIT, RTR and RTS first";
    }

    static String outside(int index, int capacity) {
        return "Work request " + index + " is not in the array of " + capacity + ": use 0 to " + (capacity - 1);
    }

    static String loop(int first, int capacity) {
        return "The postlist from work request " + first + " has no end: it goes through more than the " + capacity
                + " work requests of its array. End it with chain, or setNext(last, -1)";
    }

    static String opcode(SendRequests requests, int index, QueuePairType type, boolean isOfType) {
        return isOfType
                ? name(requests, index) + "is an operation that this device does not have"
                : name(requests, index) + "is not possible on a queue pair of type " + type + ": "
                        + switch (type) {
                            case UD -> "it has SEND and SEND_WITH_IMM";
                            case UC -> "it has SEND, RDMA_WRITE and memory windows. Use RC for READ and atomics";
                            case RC -> "it is not an opcode. Use one of SendOpcode";
                        };
    }

    static String entries(SendRequests requests, int index, int most) {
        return name(requests, index) + "has " + requests.numSge(index) + " scatter/gather entries: 0 to " + most
                + " are possible, the smaller of the " + requests.maxSge()
                + " of its array and those granted to the queue pair";
    }

    static String flags(SendRequests requests, int index) {
        return name(requests, index) + "has flags 0x" + Integer.toHexString(requests.flags(index))
                + ": only FENCE, SIGNALED, SOLICITED and INLINE are known";
    }

    static String inline(SendRequests requests, int index, long length, int most) {
        return name(requests, index) + "is INLINE with " + length
                + " bytes: SEND and RDMA_WRITE can be, with up to the " + most
                + " bytes granted to the queue pair. Leave the flag out, or ask for more maxInlineBytes";
    }

    static String tooLong(SendRequests requests, int index, long length, long most) {
        return name(requests, index) + "has " + length + " bytes: the port carries messages of up to " + most
                + " bytes. Split it";
    }

    static String overPathMtu(SendRequests requests, int index, long length, int most) {
        return name(requests, index) + "has " + length + " bytes: a datagram carries up to the path MTU of " + most
                + " bytes, and a device may drop a longer one silently. Split it, or use RC";
    }

    static String noAddressHandle(SendRequests requests, int index) {
        return name(requests, index) + "has no address handle: call setDatagram";
    }

    static String atomic(SendRequests requests, int index, long length) {
        return name(requests, index) + "has " + length + " local bytes and the remote address 0x"
                + Long.toHexString(requests.remoteAddress(index))
                + ": an atomic takes 8 bytes and an address that is a multiple of 8";
    }

    static String bind(SendRequests requests, int index) {
        return name(requests, index) + "binds " + requests.bindLength(index) + " bytes of region 0x"
                + Long.toHexString(requests.bindRegion(index)) + " to window 0x"
                + Long.toHexString(requests.bindWindow(index))
                + ": call setBind with a window, a region and at least 1 byte. A window is unbound by LOCAL_INV";
    }
}
