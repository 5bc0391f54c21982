package io.rdmarpc.verbs.check;

import static io.rdmarpc.verbs.wr.SendOpcode.ATOMIC_CMP_AND_SWP;
import static io.rdmarpc.verbs.wr.SendOpcode.ATOMIC_FETCH_AND_ADD;
import static io.rdmarpc.verbs.wr.SendOpcode.BIND_MW;
import static io.rdmarpc.verbs.wr.SendOpcode.LOCAL_INV;
import static io.rdmarpc.verbs.wr.SendOpcode.RDMA_READ;
import static io.rdmarpc.verbs.wr.SendOpcode.RDMA_WRITE;
import static io.rdmarpc.verbs.wr.SendOpcode.RDMA_WRITE_WITH_IMM;
import static io.rdmarpc.verbs.wr.SendOpcode.SEND;
import static io.rdmarpc.verbs.wr.SendOpcode.SEND_WITH_IMM;
import static io.rdmarpc.verbs.wr.SendOpcode.SEND_WITH_INV;

import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import org.jspecify.annotations.Nullable;

/**
 * Checks a list of sends before it is posted. Devices report mistakes late and in different ways. Some return EINVAL.
 * Some report a completion with an error, which moves the queue pair to ERR. Some drop a datagram over the path MTU and
 * report success. A null address handle crashes a C library. Providers call it for every checked queue pair.
 *
 * <p>The check of a valid request costs about ten plain reads and allocates nothing. The device remains responsible for
 * checks that need its state: memory keys, ranges and rights, and whether the queue is full.
 */
public final class SendRequestChecks {

    /**
     * The operations of each type of queue pair (InfiniBand Architecture Specification vol. 1, table 38), one bit each.
     * UC has no SEND_WITH_INV: ibv_post_send(3) lists it, but UC has no packet for it.
     */
    private static final int DATAGRAM = bits(SEND, SEND_WITH_IMM);

    private static final int CONNECTED = DATAGRAM | bits(RDMA_WRITE, RDMA_WRITE_WITH_IMM, BIND_MW, LOCAL_INV);
    private static final int RELIABLE =
            CONNECTED | bits(RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, SEND_WITH_INV);
    private static final int CAN_BE_INLINE = bits(SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM);
    private static final int KNOWN_FLAGS =
            SendFlags.FENCE | SendFlags.SIGNALED | SendFlags.SOLICITED | SendFlags.INLINE;
    private static final int ATOMIC_BYTES = 8;

    private final QueuePairType type;
    private final QueuePairCapabilities granted;
    private final int opcodes;
    private long maxMessageBytes = Long.MAX_VALUE;
    private int pathMtuBytes = Integer.MAX_VALUE;

    /**
     * Creates checks for a queue pair.
     *
     * @param type the type of the queue pair
     * @param granted the granted sizes
     */
    public SendRequestChecks(QueuePairType type, QueuePairCapabilities granted) {
        this(type, granted, -1);
    }

    /**
     * Creates checks for a queue pair of a provider that does not support all operations.
     *
     * @param type the type of the queue pair
     * @param granted the granted sizes
     * @param provided {@code 1 << opcode} of each supported {@link SendOpcode}
     */
    public SendRequestChecks(QueuePairType type, QueuePairCapabilities granted, int provided) {
        this.type = type;
        this.granted = granted;
        this.opcodes = provided & ofType(type);
    }

    private static int ofType(QueuePairType type) {
        return switch (type) {
            case RC -> RELIABLE;
            case UC -> CONNECTED;
            case UD -> DATAGRAM;
        };
    }

    private static int bits(int... opcodes) {
        int bits = 0;
        for (int opcode : opcodes) {
            bits |= 1 << opcode;
        }
        return bits;
    }

    private static boolean isIn(int bits, int opcode) {
        return opcode >= 0 && opcode < Integer.SIZE && (bits >>> opcode & 1) != 0;
    }

    /**
     * Sets the limits of the port. They are known after the transition to INIT.
     *
     * @param longestMessage maximum message size in bytes
     * @param mtu the active path MTU
     */
    public void port(long longestMessage, PathMtu mtu) {
        maxMessageBytes = longestMessage;
        pathMtuBytes = mtu.bytes();
    }

    /**
     * Checks a list. If a request is invalid, {@link SendRequests#badIndex()} returns its index afterwards.
     *
     * @param requests the array that holds the list
     * @param first index of the first work request
     * @param state the last known state of the queue pair, null if it is closed
     * @throws RdmaWorkRequestException for the first invalid work request
     */
    public void check(SendRequests requests, int first, @Nullable QueuePairState state) {
        if (state == null || state.code() < QueuePairState.RTS.code()) {
            throw fault(requests, first, SendFaults.notReady(type, state));
        }
        if (first < 0 || first >= requests.capacity()) {
            throw fault(requests, first, SendFaults.outside(first, requests.capacity()));
        }
        int remaining = requests.capacity();
        for (int index = first; index >= 0; index = requests.next(index)) {
            if (remaining-- == 0) {
                throw fault(requests, index, SendFaults.loop(first, requests.capacity()));
            }
            // In ERR the device flushes every operation of the type, even operations that its provider does not
            // support.
            String wrong = findFault(requests, index, state == QueuePairState.ERR ? ofType(type) : opcodes);
            if (wrong != null) {
                throw fault(requests, index, wrong);
            }
        }
    }

    private static RdmaWorkRequestException fault(SendRequests requests, int index, String what) {
        requests.badIndex(index);
        return new RdmaWorkRequestException(index, what);
    }

    private @Nullable String findFault(SendRequests requests, int index, int possible) {
        int opcode = requests.opcode(index);
        if (!isIn(possible, opcode)) {
            return SendFaults.opcode(requests, index, type, isIn(ofType(type), opcode));
        }
        int max = Math.min(requests.maxSge(), granted.maxSendSge());
        int count = requests.numSge(index);
        if (count < 0 || count > requests.maxSge() || count > granted.maxSendSge()) {
            return SendFaults.entries(requests, index, max);
        }
        int flags = requests.flags(index);
        if ((flags & ~KNOWN_FLAGS) != 0) {
            return SendFaults.flags(requests, index);
        }
        long length = requests.totalLength(index);
        if ((flags & SendFlags.INLINE) != 0 && (length > granted.maxInlineBytes() || !isIn(CAN_BE_INLINE, opcode))) {
            return SendFaults.inline(requests, index, length, granted.maxInlineBytes());
        }
        if (length > maxMessageBytes) {
            return SendFaults.tooLong(requests, index, length, maxMessageBytes);
        }
        return type == QueuePairType.UD
                ? findDatagramFault(requests, index, length)
                : findOperationFault(requests, index, opcode, length);
    }

    private @Nullable String findDatagramFault(SendRequests requests, int index, long length) {
        if (requests.addressHandle(index) == 0) {
            return SendFaults.noAddressHandle(requests, index);
        }
        return length > pathMtuBytes ? SendFaults.overPathMtu(requests, index, length, pathMtuBytes) : null;
    }

    private static @Nullable String findOperationFault(SendRequests requests, int index, int opcode, long length) {
        if (opcode == BIND_MW && !isBind(requests, index)) {
            return SendFaults.bind(requests, index);
        }
        boolean atomic = opcode == ATOMIC_CMP_AND_SWP || opcode == ATOMIC_FETCH_AND_ADD;
        if (atomic && (length != ATOMIC_BYTES || requests.remoteAddress(index) % ATOMIC_BYTES != 0)) {
            return SendFaults.atomic(requests, index, length);
        }
        return null;
    }

    private static boolean isBind(SendRequests requests, int index) {
        return requests.bindWindow(index) != 0 && requests.bindRegion(index) != 0 && requests.bindLength(index) > 0;
    }
}
