package io.rdmarpc.verbs.ibverbs.ffi.cm;

import static io.rdmarpc.verbs.ffi.CStruct.offset;

import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpAttrStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/**
 * The attributes to which a queue pair must be modified for its connection, from the kernel's connection manager.
 *
 * @param attributes the attributes
 * @param maskMemory the mask of the attributes to modify
 */
public record CmQpAttr(QpAttrStruct attributes, MemorySegment maskMemory) {

    /** {@code IBV_QP_DEST_QPN} is the last bit of the header; some kernels set internal bits above it. */
    private static final int PUBLIC_BITS = (1 << 21) - 1;

    /** Allocates the query for the attributes of a state. */
    public static CmQpAttr allocate(SegmentAllocator allocator, QueuePairState state) {
        QpAttrStruct attributes = QpAttrStruct.allocate(allocator);
        attributes.memory().set(CStruct.U32, offset(QpAttrStruct.LAYOUT, "qp_state"), state.code());
        return new CmQpAttr(attributes, allocator.allocate(CStruct.U32));
    }

    /** Returns the mask for {@code ibv_modify_qp}. */
    public int mask() {
        return maskMemory.get(CStruct.U32, 0) & PUBLIC_BITS;
    }

    /** Replaces the rights of the peer. */
    public void setAccessFlags(int bits) {
        attributes.memory().set(CStruct.U32, offset(QpAttrStruct.LAYOUT, "qp_access_flags"), bits);
    }

    /** Replaces the maximum number of READs and atomics served at a time. */
    public void setMaxDestReadAtomic(int value) {
        setByte("max_dest_rd_atomic", value);
    }

    /** Replaces the maximum number of outstanding READs and atomics. */
    public void setMaxReadAtomic(int value) {
        setByte("max_rd_atomic", value);
    }

    /** Replaces the acknowledge timeout. */
    public void setTimeout(int exponent) {
        setByte("timeout", exponent);
    }

    /** Replaces the receiver-not-ready delay. */
    public void setMinRnrTimer(int code) {
        setByte("min_rnr_timer", code);
    }

    private void setByte(String field, int value) {
        attributes.memory().set(CStruct.U8, offset(QpAttrStruct.LAYOUT, field), (byte) value);
    }
}
