package io.rdmarpc.verbs.wr;

/** The operations of a send work request, by their C values ({@code enum ibv_wr_opcode}). */
public final class SendOpcode {

    /** Write into remote memory. */
    public static final int RDMA_WRITE = 0;

    /** Write into remote memory and consume a receive there that carries 32 bits of immediate data. */
    public static final int RDMA_WRITE_WITH_IMM = 1;

    /** Send a message into a receive buffer that the peer has posted. */
    public static final int SEND = 2;

    /** Send a message with 32 bits of immediate data. */
    public static final int SEND_WITH_IMM = 3;

    /** Read remote memory into local memory. */
    public static final int RDMA_READ = 4;

    /** Compare and swap 64 bits of remote memory. */
    public static final int ATOMIC_CMP_AND_SWP = 5;

    /** Fetch and add 64 bits of remote memory. */
    public static final int ATOMIC_FETCH_AND_ADD = 6;

    /** Invalidate the key of a bound memory window. */
    public static final int LOCAL_INV = 7;

    /** Bind a memory window. */
    public static final int BIND_MW = 8;

    /** Send a message that invalidates a key of the receiver. */
    public static final int SEND_WITH_INV = 9;

    private SendOpcode() {}

    /**
     * Returns the name of an opcode for a message.
     *
     * @param opcode a value of this class
     * @return its name
     */
    public static String name(int opcode) {
        return switch (opcode) {
            case RDMA_WRITE -> "RDMA_WRITE";
            case RDMA_WRITE_WITH_IMM -> "RDMA_WRITE_WITH_IMM";
            case SEND -> "SEND";
            case SEND_WITH_IMM -> "SEND_WITH_IMM";
            case RDMA_READ -> "RDMA_READ";
            case ATOMIC_CMP_AND_SWP -> "ATOMIC_CMP_AND_SWP";
            case ATOMIC_FETCH_AND_ADD -> "ATOMIC_FETCH_AND_ADD";
            case LOCAL_INV -> "LOCAL_INV";
            case BIND_MW -> "BIND_MW";
            case SEND_WITH_INV -> "SEND_WITH_INV";
            default -> "opcode " + opcode;
        };
    }
}
