package io.rdmarpc.verbs.ibverbs.ffi.cm;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * The parameters of a connection request or acceptance, and of the events of a connection.
 *
 * <pre>
 *   struct rdma_conn_param {              byte
 *       const void  *private_data;           0
 *       uint8_t      private_data_len;       8
 *       uint8_t      responder_resources;    9
 *       uint8_t      initiator_depth;       10
 *       uint8_t      flow_control;          11
 *       uint8_t      retry_count;           12   ignored when accepting
 *       uint8_t      rnr_retry_count;       13
 *       uint8_t      srq;                   14
 *       uint32_t     qp_num;                16
 *   };                                      24
 * </pre>
 *
 * @param memory the struct
 */
public record ConnParamStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "rdma_conn_param",
            CStruct.POINTER.withName("private_data"),
            CStruct.U8.withName("private_data_len"),
            CStruct.U8.withName("responder_resources"),
            CStruct.U8.withName("initiator_depth"),
            CStruct.U8.withName("flow_control"),
            CStruct.U8.withName("retry_count"),
            CStruct.U8.withName("rnr_retry_count"),
            CStruct.U8.withName("srq"),
            CStruct.U32.withName("qp_num"));

    /** Allocates a struct with the parameters; the depths are those negotiated so far. */
    public static ConnParamStruct allocate(
            SegmentAllocator allocator,
            CmParameters parameters,
            int responderResources,
            int initiatorDepth,
            int queuePairNumber) {
        byte[] data = parameters.privateData();
        ConnParamStruct to = new ConnParamStruct(allocator.allocate(LAYOUT));
        to.memory.set(CStruct.POINTER, offset(LAYOUT, "private_data"), copy(allocator, data));
        to.setByte("private_data_len", data.length);
        to.setByte("responder_resources", responderResources);
        to.setByte("initiator_depth", initiatorDepth);
        to.setByte("flow_control", parameters.flowControl() ? 1 : 0);
        to.setByte("retry_count", parameters.retryCount());
        to.setByte("rnr_retry_count", parameters.rnrRetryCount());
        to.memory.set(CStruct.U32, offset(LAYOUT, "qp_num"), queuePairNumber);
        return to;
    }

    private static long copy(SegmentAllocator allocator, byte[] data) {
        return data.length == 0 ? 0 : allocator.allocateFrom(CStruct.U8, data).address();
    }

    /** Copies the private data. */
    byte[] privateData() {
        int length = getByte("private_data_len");
        long pointer = memory.get(CStruct.POINTER, offset(LAYOUT, "private_data"));
        return length == 0 ? new byte[0] : CStruct.at(pointer, length).toArray(CStruct.U8);
    }

    int responderResources() {
        return getByte("responder_resources");
    }

    int initiatorDepth() {
        return getByte("initiator_depth");
    }

    private void setByte(String field, int value) {
        memory.set(CStruct.U8, offset(LAYOUT, field), (byte) value);
    }

    private int getByte(String field) {
        return Byte.toUnsignedInt(memory.get(CStruct.U8, offset(LAYOUT, field)));
    }
}
