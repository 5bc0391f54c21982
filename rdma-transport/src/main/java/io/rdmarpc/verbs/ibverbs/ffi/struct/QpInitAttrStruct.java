package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * The parameters of a new queue pair. After the creation it has the granted sizes.
 *
 * <pre>
 *   struct ibv_qp_init_attr {           byte
 *       void              *qp_context;     0
 *       struct ibv_cq     *send_cq;        8
 *       struct ibv_cq     *recv_cq;       16
 *       struct ibv_srq    *srq;           24
 *       struct ibv_qp_cap  cap;           32
 *       enum ibv_qp_type   qp_type;       52
 *       int                sq_sig_all;    56
 *   };                                    64
 * </pre>
 *
 * @param memory the struct
 */
public record QpInitAttrStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_qp_init_attr",
            CStruct.POINTER.withName("qp_context"),
            CStruct.POINTER.withName("send_cq"),
            CStruct.POINTER.withName("recv_cq"),
            CStruct.POINTER.withName("srq"),
            QpCapStruct.LAYOUT.withName("cap"),
            CStruct.U32.withName("qp_type"),
            CStruct.U32.withName("sq_sig_all"));

    /** Allocates a struct with the configuration. The queues are pointers or 0. */
    public static QpInitAttrStruct allocate(
            SegmentAllocator allocator, QueuePairConfig config, long sendCq, long receiveCq, long srq) {
        MemorySegment memory = allocator.allocate(LAYOUT);
        memory.set(CStruct.POINTER, offset(LAYOUT, "send_cq"), sendCq);
        memory.set(CStruct.POINTER, offset(LAYOUT, "recv_cq"), receiveCq);
        memory.set(CStruct.POINTER, offset(LAYOUT, "srq"), srq);
        QpCapStruct.write(cap(memory), config.capabilities());
        memory.set(CStruct.U32, offset(LAYOUT, "qp_type"), config.type().code());
        memory.set(CStruct.U32, offset(LAYOUT, "sq_sig_all"), config.signalAll() ? 1 : 0);
        return new QpInitAttrStruct(memory);
    }

    /** Returns the sizes: before the call the requested ones, after it the granted ones. */
    public QueuePairCapabilities capabilities() {
        return QpCapStruct.read(cap(memory));
    }

    private static MemorySegment cap(MemorySegment memory) {
        return memory.asSlice(offset(LAYOUT, "cap"), QpCapStruct.LAYOUT);
    }
}
