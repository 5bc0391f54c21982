package io.rdmarpc.async.error;

import io.rdmarpc.verbs.wr.SendOpcode;

/** The operations of a connection. */
public enum RdmaOperation {
    /** A message into a receive of the peer. */
    SEND(SendOpcode.SEND, false),
    /** A message with 32 bits of immediate data. */
    SEND_WITH_IMMEDIATE(SendOpcode.SEND_WITH_IMM, false),
    /** A place for one message of the peer. */
    RECEIVE(-1, true),
    /** Remote memory into local memory. */
    READ(SendOpcode.RDMA_READ, true),
    /** Local memory into remote memory. */
    WRITE(SendOpcode.RDMA_WRITE, false),
    /** Local memory into remote memory, and 32 bits of immediate data into a receive of the peer. */
    WRITE_WITH_IMMEDIATE(SendOpcode.RDMA_WRITE_WITH_IMM, false),
    /** Compare 8 bytes of remote memory and replace them if they are as expected. */
    COMPARE_AND_SWAP(SendOpcode.ATOMIC_CMP_AND_SWP, false),
    /** Add to 8 bytes of remote memory. */
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
     * Tells whether the device writes into the local slice, so that no other operation may use it meanwhile.
     *
     * @return true for reads and receives
     */
    public boolean writesLocally() {
        return writesLocally;
    }

    /**
     * Tells whether it changes 8 bytes atomically.
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
