package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A shared receive queue.
 *
 * <pre>
 *   struct ibv_srq {                        byte
 *       struct ibv_context  *context;          0
 *       void                *srq_context;      8
 *       struct ibv_pd       *pd;              16
 *       uint32_t             handle;          24
 *       ...                                   32   mutex and condition, not read
 *   };
 * </pre>
 *
 * @param memory the part of the struct that is read; it belongs to the library
 */
public record SrqStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_srq",
            CStruct.POINTER.withName("context"),
            CStruct.POINTER.withName("srq_context"),
            CStruct.POINTER.withName("pd"),
            CStruct.U32.withName("handle"));

    /** Reads a new queue and checks that its fields match its arguments. */
    public static SrqStruct at(long pointer, long pd) {
        SrqStruct srq = new SrqStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        LayoutCheck.same("ibv_srq.pd", pd, srq.memory.get(CStruct.POINTER, offset(LAYOUT, "pd")));
        return srq;
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }
}
