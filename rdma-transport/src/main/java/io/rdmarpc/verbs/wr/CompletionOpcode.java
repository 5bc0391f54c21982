package io.rdmarpc.verbs.wr;

/** The operation of a successful work completion, by its C value ({@code enum ibv_wc_opcode}). */
public final class CompletionOpcode {

    /** A SEND is complete. */
    public static final int SEND = 0;

    /** An RDMA WRITE is complete. */
    public static final int RDMA_WRITE = 1;

    /** An RDMA READ is complete: the data is in local memory. */
    public static final int RDMA_READ = 2;

    /** A compare-and-swap is complete: the original value is in local memory. */
    public static final int COMP_SWAP = 3;

    /** A fetch-and-add is complete: the original value is in local memory. */
    public static final int FETCH_ADD = 4;

    /** A memory window was bound. */
    public static final int BIND_MW = 5;

    /** A key was invalidated. */
    public static final int LOCAL_INV = 6;

    /** A message was received. */
    public static final int RECV = 128;

    /** A peer has written to memory with immediate data, which consumed a receive. */
    public static final int RECV_RDMA_WITH_IMM = 129;

    private CompletionOpcode() {}
}
