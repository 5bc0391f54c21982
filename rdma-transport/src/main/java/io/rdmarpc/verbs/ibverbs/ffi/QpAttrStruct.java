package io.rdmarpc.verbs.ibverbs.ffi;

import static io.rdmarpc.verbs.ibverbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ibverbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.AddressHandleAttributes;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * What to change in a queue pair, or what was asked about it. A mask beside it says which fields count.
 *
 * <pre>
 *   struct ibv_qp_attr {                    byte
 *       enum ibv_qp_state   qp_state;          0
 *       enum ibv_qp_state   cur_qp_state;      4
 *       enum ibv_mtu        path_mtu;          8
 *       enum ibv_mig_state  path_mig_state;   12
 *       uint32_t            qkey;             16
 *       uint32_t            rq_psn;           20
 *       uint32_t            sq_psn;           24
 *       uint32_t            dest_qp_num;      28
 *       unsigned            qp_access_flags;  32
 *       struct ibv_qp_cap   cap;              36
 *       struct ibv_ah_attr  ah_attr;          56
 *       struct ibv_ah_attr  alt_ah_attr;      88
 *       uint16_t            pkey_index;      120
 *       uint16_t            alt_pkey_index;  122
 *       uint8_t         en_sqd_async_notify; 124
 *       uint8_t             sq_draining;     125
 *       uint8_t             max_rd_atomic;   126
 *       uint8_t          max_dest_rd_atomic; 127
 *       uint8_t             min_rnr_timer;   128
 *       uint8_t             port_num;        129
 *       uint8_t             timeout;         130
 *       uint8_t             retry_cnt;       131
 *       uint8_t             rnr_retry;       132
 *       uint8_t             alt_port_num;    133
 *       uint8_t             alt_timeout;     134
 *       uint32_t            rate_limit;      136
 *   };                                       144
 * </pre>
 *
 * @param memory the struct
 */
public record QpAttrStruct(MemorySegment memory) {

    static final StructLayout LAYOUT = struct(
            "ibv_qp_attr",
            CStruct.U32.withName("qp_state"),
            CStruct.U32.withName("cur_qp_state"),
            CStruct.U32.withName("path_mtu"),
            CStruct.U32.withName("path_mig_state"),
            CStruct.U32.withName("qkey"),
            CStruct.U32.withName("rq_psn"),
            CStruct.U32.withName("sq_psn"),
            CStruct.U32.withName("dest_qp_num"),
            CStruct.U32.withName("qp_access_flags"),
            QpCapStruct.LAYOUT.withName("cap"),
            AhAttrStruct.LAYOUT.withName("ah_attr"),
            AhAttrStruct.LAYOUT.withName("alt_ah_attr"),
            CStruct.U16.withName("pkey_index"),
            CStruct.U16.withName("alt_pkey_index"),
            CStruct.U8.withName("en_sqd_async_notify"),
            CStruct.U8.withName("sq_draining"),
            CStruct.U8.withName("max_rd_atomic"),
            CStruct.U8.withName("max_dest_rd_atomic"),
            CStruct.U8.withName("min_rnr_timer"),
            CStruct.U8.withName("port_num"),
            CStruct.U8.withName("timeout"),
            CStruct.U8.withName("retry_cnt"),
            CStruct.U8.withName("rnr_retry"),
            CStruct.U8.withName("alt_port_num"),
            CStruct.U8.withName("alt_timeout"),
            CStruct.U32.withName("rate_limit"));

    /** Allocates a zeroed one. */
    public static QpAttrStruct allocate(SegmentAllocator allocator) {
        return new QpAttrStruct(allocator.allocate(LAYOUT));
    }

    /** Allocates one with all attributes; those that are not set are zero and not in the mask. */
    public static QpAttrStruct allocate(SegmentAllocator allocator, QueuePairAttributes from) {
        QpAttrStruct to = allocate(allocator);
        to.setInt("qp_state", from.state().code());
        to.setInt("path_mtu", from.pathMtu().code());
        to.setInt("qkey", from.qkey());
        to.setInt("rq_psn", from.receivePsn());
        to.setInt("sq_psn", from.sendPsn());
        to.setInt("dest_qp_num", from.destinationQpn());
        to.setInt("qp_access_flags", from.accessFlags());
        to.memory.set(CStruct.U16, offset(LAYOUT, "pkey_index"), (short) from.pkeyIndex());
        to.setByte("max_rd_atomic", from.maxReadAtomic());
        to.setByte("max_dest_rd_atomic", from.maxDestReadAtomic());
        to.setByte("min_rnr_timer", from.minRnrTimer());
        to.setByte("port_num", from.portNumber());
        to.setByte("timeout", from.timeout());
        to.setByte("retry_cnt", from.retryCount());
        to.setByte("rnr_retry", from.rnrRetry());
        AddressHandleAttributes peer = from.addressVector();
        if (peer != null) {
            AhAttrStruct.write(to.memory.asSlice(offset(LAYOUT, "ah_attr"), AhAttrStruct.LAYOUT), peer);
        }
        return to;
    }

    /** The state that a query answered. */
    public QueuePairState state() {
        return QueuePairState.of(memory.get(CStruct.U32, offset(LAYOUT, "qp_state")));
    }

    private void setInt(String field, int value) {
        memory.set(CStruct.U32, offset(LAYOUT, field), value);
    }

    private void setByte(String field, int value) {
        memory.set(CStruct.U8, offset(LAYOUT, field), (byte) value);
    }
}
