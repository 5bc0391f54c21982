package io.rdmarpc.verbs.interop;

import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendOpcode;

/** An operation of one end on the other. */
enum InteropOperation {
    SEND(SendOpcode.SEND, CompletionOpcode.SEND),
    SEND_WITH_IMM(SendOpcode.SEND_WITH_IMM, CompletionOpcode.SEND),
    WRITE(SendOpcode.RDMA_WRITE, CompletionOpcode.RDMA_WRITE),
    WRITE_WITH_IMM(SendOpcode.RDMA_WRITE_WITH_IMM, CompletionOpcode.RDMA_WRITE),
    READ(SendOpcode.RDMA_READ, CompletionOpcode.RDMA_READ),
    COMPARE_AND_SWAP(SendOpcode.ATOMIC_CMP_AND_SWP, CompletionOpcode.COMP_SWAP),
    COMPARE_IN_VAIN(SendOpcode.ATOMIC_CMP_AND_SWP, CompletionOpcode.COMP_SWAP),
    FETCH_AND_ADD(SendOpcode.ATOMIC_FETCH_AND_ADD, CompletionOpcode.FETCH_ADD),
    DATAGRAM(SendOpcode.SEND, CompletionOpcode.SEND),
    DATAGRAM_WITH_IMM(SendOpcode.SEND_WITH_IMM, CompletionOpcode.SEND);

    private final int opcode;
    private final int completion;

    InteropOperation(int opcode, int completion) {
        this.opcode = opcode;
        this.completion = completion;
    }

    /** Returns the {@link SendOpcode}. */
    int opcode() {
        return opcode;
    }

    /** Returns the {@link CompletionOpcode} of the initiator. */
    int completion() {
        return completion;
    }

    boolean isDatagram() {
        return this == DATAGRAM || this == DATAGRAM_WITH_IMM;
    }

    boolean isAtomic() {
        return completion == CompletionOpcode.COMP_SWAP || completion == CompletionOpcode.FETCH_ADD;
    }

    boolean hasImmediate() {
        return opcode == SendOpcode.SEND_WITH_IMM || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
    }

    boolean takesReceive() {
        return completion == CompletionOpcode.SEND || this == WRITE_WITH_IMM;
    }
}
