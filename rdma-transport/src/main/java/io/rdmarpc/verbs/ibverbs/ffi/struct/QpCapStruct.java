package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The sizes of a queue pair; a part of two other structs.
 *
 * <pre>
 *   struct ibv_qp_cap {            byte
 *       uint32_t  max_send_wr;        0
 *       uint32_t  max_recv_wr;        4
 *       uint32_t  max_send_sge;       8
 *       uint32_t  max_recv_sge;      12
 *       uint32_t  max_inline_data;   16
 *   };                               20
 * </pre>
 */
public final class QpCapStruct {

    public static final StructLayout LAYOUT = struct(
            "ibv_qp_cap",
            CStruct.U32.withName("max_send_wr"),
            CStruct.U32.withName("max_recv_wr"),
            CStruct.U32.withName("max_send_sge"),
            CStruct.U32.withName("max_recv_sge"),
            CStruct.U32.withName("max_inline_data"));

    private QpCapStruct() {}

    static void write(MemorySegment memory, QueuePairCapabilities capabilities) {
        memory.set(CStruct.U32, offset(LAYOUT, "max_send_wr"), capabilities.maxSendWr());
        memory.set(CStruct.U32, offset(LAYOUT, "max_recv_wr"), capabilities.maxReceiveWr());
        memory.set(CStruct.U32, offset(LAYOUT, "max_send_sge"), capabilities.maxSendSge());
        memory.set(CStruct.U32, offset(LAYOUT, "max_recv_sge"), capabilities.maxReceiveSge());
        memory.set(CStruct.U32, offset(LAYOUT, "max_inline_data"), capabilities.maxInlineBytes());
    }

    static QueuePairCapabilities read(MemorySegment memory) {
        return new QueuePairCapabilities(
                memory.get(CStruct.U32, offset(LAYOUT, "max_send_wr")),
                memory.get(CStruct.U32, offset(LAYOUT, "max_recv_wr")),
                memory.get(CStruct.U32, offset(LAYOUT, "max_send_sge")),
                memory.get(CStruct.U32, offset(LAYOUT, "max_recv_sge")),
                memory.get(CStruct.U32, offset(LAYOUT, "max_inline_data")));
    }
}
