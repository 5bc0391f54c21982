package io.rdmarpc.async.error;

import io.rdmarpc.verbs.wr.SendOpcode;

/** The operations of a connection. */
public enum RdmaOperation {
    /** Sends a message to a receive of the peer. */
    SEND(SendOpcode.SEND, false),
    /** Sends a message with 32 bits of immediate data. */
    SEND_WITH_IMMEDIATE(SendOpcode.SEND_WITH_IMM, false),
    /** Receives one message of the peer. */
    RECEIVE(-1, true),
    /** Reads remote memory into local memory. */
    READ(SendOpcode.RDMA_READ, true),
    /** Writes local memory to remote memory. */
    WRITE(SendOpcode.RDMA_WRITE, false),
    /** Writes local memory to remote memory and delivers 32 bits of immediate data to a receive of the peer. */
    WRITE_WITH_IMMEDIATE(SendOpcode.RDMA_WRITE_WITH_IMM, false),
    /** Compares 8 bytes of remote memory with an expected value and replaces them if they are equal. */
    COMPARE_AND_SWAP(SendOpcode.ATOMIC_CMP_AND_SWP, false),
    /** Adds to 8 bytes of remote memory. */
    FETCH_AND_ADD(SendOpcode.ATOMIC_FETCH_AND_ADD, false);

    private final int opcode;
    private final boolean writesLocally;

    RdmaOperation(int opcode, boolean writesLocally) {
        this.opcode = opcode;
        this.writesLocally = writesLocally;
    }

    /**
     * Returns the opcode of its work request.
     *
     * @return a {@link SendOpcode}, -1 for a receive
     */
    public int opcode() {
        return opcode;
    }

    /**
     * Returns whether the device writes to the local slice, so that no other operation may use the slice at the same
     * time.
     *
     * @return true for reads and receives
     */
    public boolean writesLocally() {
        return writesLocally;
    }

    /**
     * Returns whether the operation is an atomic.
     *
     * @return true for compare-and-swap and fetch-and-add
     */
    public boolean isAtomic() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }

    boolean hasImmediate() {
        return this == SEND_WITH_IMMEDIATE || this == WRITE_WITH_IMMEDIATE;
    }
}
