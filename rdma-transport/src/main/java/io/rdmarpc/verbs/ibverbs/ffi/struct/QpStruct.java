package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A queue pair.
 *
 * <pre>
 *   struct ibv_qp {                        byte
 *       struct ibv_context  *context;         0
 *       void                *qp_context;      8
 *       struct ibv_pd       *pd;             16
 *       struct ibv_cq       *send_cq;        24
 *       struct ibv_cq       *recv_cq;        32
 *       struct ibv_srq      *srq;            40
 *       uint32_t             handle;         48
 *       uint32_t             qp_num;         52
 *       enum ibv_qp_state    state;          56
 *       enum ibv_qp_type     qp_type;        60
 *       ...                                  64   mutex and condition, not read
 *   };
 * </pre>
 *
 * @param memory the part of the struct that is read; it belongs to the library
 */
public record QpStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_qp",
            CStruct.POINTER.withName("context"),
            CStruct.POINTER.withName("qp_context"),
            CStruct.POINTER.withName("pd"),
            CStruct.POINTER.withName("send_cq"),
            CStruct.POINTER.withName("recv_cq"),
            CStruct.POINTER.withName("srq"),
            CStruct.U32.withName("handle"),
            CStruct.U32.withName("qp_num"),
            CStruct.U32.withName("state"),
            CStruct.U32.withName("qp_type"));

    private static final int NUMBER_BITS = 24;

    /** Reads a new queue pair and checks that its fields match its arguments. */
    public static QpStruct at(long pointer, long pd, QueuePairType type) {
        QpStruct qp = new QpStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        LayoutCheck.same("ibv_qp.pd", pd, qp.memory.get(CStruct.POINTER, offset(LAYOUT, "pd")));
        LayoutCheck.same("ibv_qp.qp_type", type.code(), qp.memory.get(CStruct.U32, offset(LAYOUT, "qp_type")));
        LayoutCheck.that(qp.number() >>> NUMBER_BITS == 0, "ibv_qp.qp_num", qp.number());
        return qp;
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the number by which peers address the queue pair. */
    public int number() {
        return memory.get(CStruct.U32, offset(LAYOUT, "qp_num"));
    }
}
