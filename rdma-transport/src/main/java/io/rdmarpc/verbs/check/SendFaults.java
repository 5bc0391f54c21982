package io.rdmarpc.verbs.check;

import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import org.jspecify.annotations.Nullable;

/** Messages for invalid send work requests. They state the request, the numbers, and the remedy. */
final class SendFaults {

    private SendFaults() {}

    private static String name(SendRequests requests, int index) {
        return "Work request " + index + " (" + SendOpcode.name(requests.opcode(index)) + ") ";
    }

    static String notReady(QueuePairType type, @Nullable QueuePairState state) {
        return state == null
                ? "The queue pair is closed: create a queue pair before posting sends"
                : "The " + type + " queue pair is in state " + state + " and accepts sends from RTS on: modify it"
                        + " to INIT, RTR and RTS first";
    }

    static String outside(int index, int capacity) {
        return "Work request " + index + " is not in the array of " + capacity + ": use 0 to " + (capacity - 1);
    }

    static String loop(int first, int capacity) {
        return "The postlist from work request " + first + " has no end: it has more requests than the " + capacity
                + " of its array. End the list with chain or setNext(last, -1)";
    }

    static String opcode(SendRequests requests, int index, QueuePairType type, boolean isOfType) {
        return isOfType
                ? name(requests, index) + "is an operation that this device does not support"
                : name(requests, index) + "is not possible on a queue pair of type " + type + ": "
                        + switch (type) {
                            case UD -> "use SEND or SEND_WITH_IMM";
                            case UC -> "use SEND, RDMA_WRITE or memory windows. For READ and atomics use RC";
                            case RC -> "use an opcode of SendOpcode";
                        };
    }

    static String entries(SendRequests requests, int index, int max) {
        return name(requests, index) + "has " + requests.numSge(index) + " scatter/gather entries: 0 to " + max
                + " are possible. The limit is the smaller of the " + requests.maxSge()
                + " of the array and the number granted to the queue pair";
    }

    static String flags(SendRequests requests, int index) {
        return name(requests, index) + "has flags 0x" + Integer.toHexString(requests.flags(index))
                + ": use only FENCE, SIGNALED, SOLICITED and INLINE";
    }

    static String inline(SendRequests requests, int index, long length, int max) {
        return name(requests, index) + "is INLINE with " + length
                + " bytes: only SEND and RDMA_WRITE can be inline, with up to the " + max
                + " bytes granted to the queue pair. Remove the flag, or request a larger maxInlineBytes";
    }

    static String tooLong(SendRequests requests, int index, long length, long max) {
        return name(requests, index) + "has " + length + " bytes: the port accepts messages of up to " + max
                + " bytes. Split the message";
    }

    static String overPathMtu(SendRequests requests, int index, long length, int max) {
        return name(requests, index) + "has " + length + " bytes: a datagram carries up to the path MTU of " + max
                + " bytes, and devices may silently drop a longer one. Split the message, or use RC";
    }

    static String noAddressHandle(SendRequests requests, int index) {
        return name(requests, index) + "has no address handle: call setDatagram";
    }

    static String atomic(SendRequests requests, int index, long length) {
        return name(requests, index) + "has " + length + " local bytes and the remote address 0x"
                + Long.toHexString(requests.remoteAddress(index))
                + ": an atomic requires 8 bytes and an address that is a multiple of 8";
    }

    static String bind(SendRequests requests, int index) {
        return name(requests, index) + "binds " + requests.bindLength(index) + " bytes of region 0x"
                + Long.toHexString(requests.bindRegion(index)) + " to window 0x"
                + Long.toHexString(requests.bindWindow(index))
                + ": call setBind with a window, a region and at least 1 byte. To unbind a window, use LOCAL_INV";
    }
}
