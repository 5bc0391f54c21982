package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A completion queue.
 *
 * <pre>
 *   struct ibv_cq {                            byte
 *       struct ibv_context       *context;        0
 *       struct ibv_comp_channel  *channel;        8
 *       void                     *cq_context;    16
 *       uint32_t                  handle;        24
 *       int                       cqe;           28
 *       ...                                      32   mutex, condition and counters, not read
 *   };
 * </pre>
 *
 * @param memory the part of the struct that is read; it belongs to the library
 */
public record CqStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_cq",
            CStruct.POINTER.withName("context"),
            CStruct.POINTER.withName("channel"),
            CStruct.POINTER.withName("cq_context"),
            CStruct.U32.withName("handle"),
            CStruct.U32.withName("cqe"));

    /**
     * Reads a new completion queue and checks that its fields match its arguments. The size may be one less than
     * requested, because hns_roce reports the largest index.
     */
    public static CqStruct at(long pointer, ContextStruct context, int entries) {
        CqStruct cq = new CqStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        long actual = cq.memory.get(CStruct.POINTER, offset(LAYOUT, "context"));
        LayoutCheck.same("ibv_cq.context", context.pointer(), actual);
        LayoutCheck.that(cq.cqe() >= Math.max(1, entries - 1), "ibv_cq.cqe", cq.cqe());
        return cq;
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the capacity. */
    public int cqe() {
        return memory.get(CStruct.U32, offset(LAYOUT, "cqe"));
    }
}
