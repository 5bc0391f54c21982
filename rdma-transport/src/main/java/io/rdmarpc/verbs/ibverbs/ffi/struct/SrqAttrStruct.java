package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * The sizes of a shared receive queue. The struct for its creation begins with a pointer that is not used.
 *
 * <pre>
 *   struct ibv_srq_init_attr {          byte        struct ibv_srq_attr {   byte
 *       void                *srq_context;  0            uint32_t max_wr;       0
 *       struct ibv_srq_attr  attr;         8            uint32_t max_sge;      4
 *   };                                    24            uint32_t srq_limit;    8
 *                                                   };                        12
 * </pre>
 *
 * @param whole a {@code struct ibv_srq_init_attr}
 */
public record SrqAttrStruct(MemorySegment whole) {

    /** {@code IBV_SRQ_LIMIT}: the limit changes. */
    public static final int LIMIT = 1 << 1;

    public static final StructLayout LAYOUT = struct(
            "ibv_srq_attr",
            CStruct.U32.withName("max_wr"),
            CStruct.U32.withName("max_sge"),
            CStruct.U32.withName("srq_limit"));

    public static final StructLayout INIT_LAYOUT =
            struct("ibv_srq_init_attr", CStruct.POINTER.withName("srq_context"), LAYOUT.withName("attr"));

    /** Allocates a struct with sizes and limit. */
    public static SrqAttrStruct allocate(SegmentAllocator allocator, int maxWr, int maxSge, int limit) {
        SrqAttrStruct attributes = new SrqAttrStruct(allocator.allocate(INIT_LAYOUT));
        attributes.inner().set(CStruct.U32, offset(LAYOUT, "max_wr"), maxWr);
        attributes.inner().set(CStruct.U32, offset(LAYOUT, "max_sge"), maxSge);
        attributes.inner().set(CStruct.U32, offset(LAYOUT, "srq_limit"), limit);
        return attributes;
    }

    /** Returns the nested {@code struct ibv_srq_attr}. */
    public MemorySegment inner() {
        return whole.asSlice(offset(INIT_LAYOUT, "attr"), LAYOUT);
    }

    /** Returns the maximum number of receives; after the creation the granted one. */
    public int maxWr() {
        return inner().get(CStruct.U32, offset(LAYOUT, "max_wr"));
    }

    /** Returns the maximum number of scatter/gather entries of a receive; after the creation the granted one. */
    public int maxSge() {
        return inner().get(CStruct.U32, offset(LAYOUT, "max_sge"));
    }

    /** Returns the armed limit. */
    public int limit() {
        return inner().get(CStruct.U32, offset(LAYOUT, "srq_limit"));
    }
}
