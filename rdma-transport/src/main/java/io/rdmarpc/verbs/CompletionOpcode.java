package io.rdmarpc.verbs;

/** The operation of a successful work completion, by its C value ({@code enum ibv_wc_opcode}). */
public final class CompletionOpcode {

    /** A SEND is complete. */
    public static final int SEND = 0;

    /** An RDMA WRITE is complete. */
    public static final int RDMA_WRITE = 1;

    /** An RDMA READ is complete: the data is in local memory. */
    public static final int RDMA_READ = 2;

    /** A message was received. */
    public static final int RECV = 128;

    private CompletionOpcode() {}
}
