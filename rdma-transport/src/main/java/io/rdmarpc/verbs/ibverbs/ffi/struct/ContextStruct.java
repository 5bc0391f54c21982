package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;
import static io.rdmarpc.verbs.ffi.CStruct.unused;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * An open device. It contains the pointers of the verbs that are inline functions in C.
 *
 * <pre>
 *   struct ibv_context {                    byte          struct ibv_context_ops {  byte of the context
 *       struct ibv_device      *device;        0              7 others                 8
 *       struct ibv_context_ops  ops;           8              alloc_mw                64
 *       int                     cmd_fd;      264              bind_mw                 72
 *       int                     async_fd;    268              dealloc_mw              80
 *       int             num_comp_vectors;    272              poll_cq                 96
 *       pthread_mutex_t         mutex;       280              req_notify_cq          104
 *       void                   *abi_compat;  320              post_srq_recv          168
 *   };                                       328              post_send              208
 *                                                             post_recv              216
 *   8 bytes more on aarch64, whose mutex has 48           };
 * </pre>
 *
 * Providers put it at the end of a {@code struct verbs_context}, which grows at its start, so that offsets relative to
 * the context never change. The pointer {@code abi_compat} then has all bits set.
 *
 * <pre>
 *   struct verbs_context {                  byte before the context
 *       int (*query_port)(...);              320
 *       ...
 *       size_t              sz;                8   size of the whole
 *       struct ibv_context  context;           0
 *   };
 * </pre>
 *
 * @param memory the context, with the preceding part of a {@code verbs_context} if there is one; it belongs to the
 *     library
 * @param start the offset of the context in the memory
 */
public record ContextStruct(MemorySegment memory, long start) {

    private static final int MUTEX_BYTES = System.getProperty("os.arch", "").equals("aarch64") ? 48 : 40;

    public static final StructLayout LAYOUT = struct(
            "ibv_context",
            CStruct.POINTER.withName("device"),
            struct(
                            "ibv_context_ops",
                            unused(7 * CStruct.POINTER.byteSize()),
                            CStruct.POINTER.withName("alloc_mw"),
                            CStruct.POINTER.withName("bind_mw"),
                            CStruct.POINTER.withName("dealloc_mw"),
                            unused(CStruct.POINTER.byteSize()),
                            CStruct.POINTER.withName("poll_cq"),
                            CStruct.POINTER.withName("req_notify_cq"),
                            unused(7 * CStruct.POINTER.byteSize()),
                            CStruct.POINTER.withName("post_srq_recv"),
                            unused(4 * CStruct.POINTER.byteSize()),
                            CStruct.POINTER.withName("post_send"),
                            CStruct.POINTER.withName("post_recv"),
                            unused(5 * CStruct.POINTER.byteSize()))
                    .withName("ops"),
            CStruct.U32.withName("cmd_fd"),
            CStruct.U32.withName("async_fd"),
            CStruct.U32.withName("num_comp_vectors"),
            unused(Integer.BYTES),
            unused(MUTEX_BYTES).withName("mutex"),
            CStruct.POINTER.withName("abi_compat"));

    public static final long QUERY_PORT_BEFORE = 320;
    public static final long SIZE_BEFORE = 8;

    private static final long DEVICE = offset(LAYOUT, "device");
    private static final long POLL_CQ = offset(LAYOUT, "ops", "poll_cq");
    private static final long ALLOC_MW = offset(LAYOUT, "ops", "alloc_mw");
    private static final long DEALLOC_MW = offset(LAYOUT, "ops", "dealloc_mw");
    private static final long REQ_NOTIFY_CQ = offset(LAYOUT, "ops", "req_notify_cq");
    private static final long POST_SRQ_RECV = offset(LAYOUT, "ops", "post_srq_recv");
    private static final long ASYNC_FD = offset(LAYOUT, "async_fd");
    private static final long NUM_COMP_VECTORS = offset(LAYOUT, "num_comp_vectors");
    private static final long POST_SEND = offset(LAYOUT, "ops", "post_send");
    private static final long POST_RECV = offset(LAYOUT, "ops", "post_recv");
    private static final long ABI_COMPAT = offset(LAYOUT, "abi_compat");
    private static final long EXTENDED = -1;

    public static ContextStruct at(long pointer) {
        ContextStruct plain = new ContextStruct(CStruct.at(pointer, LAYOUT.byteSize()), 0);
        return plain.field(ABI_COMPAT) == EXTENDED ? extended(pointer) : plain;
    }

    private static ContextStruct extended(long pointer) {
        long bytes = QUERY_PORT_BEFORE + LAYOUT.byteSize();
        return new ContextStruct(CStruct.at(pointer - QUERY_PORT_BEFORE, bytes), QUERY_PORT_BEFORE);
    }

    private long field(long offset) {
        return memory.get(CStruct.POINTER, start + offset);
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address() + start;
    }

    public long device() {
        return field(DEVICE);
    }

    public long pollCq() {
        return field(POLL_CQ);
    }

    public long allocateMw() {
        return field(ALLOC_MW);
    }

    public long deallocateMw() {
        return field(DEALLOC_MW);
    }

    public long requestNotifyCq() {
        return field(REQ_NOTIFY_CQ);
    }

    public long postSrqReceive() {
        return field(POST_SRQ_RECV);
    }

    /** Returns the file descriptor of asynchronous events. */
    public int asyncFd() {
        return memory.get(CStruct.U32, start + ASYNC_FD);
    }

    /** Returns the number of interrupt vectors for completion events. */
    public int completionVectors() {
        return memory.get(CStruct.U32, start + NUM_COMP_VECTORS);
    }

    public long postSend() {
        return field(POST_SEND);
    }

    public long postReceive() {
        return field(POST_RECV);
    }

    /** Returns the entry that fills all port attributes; 0 if this library or provider is too old. */
    public long queryPort() {
        boolean longEnough = start > 0 && field(-SIZE_BEFORE) >= memory.byteSize();
        return longEnough ? field(-QUERY_PORT_BEFORE) : 0;
    }
}
