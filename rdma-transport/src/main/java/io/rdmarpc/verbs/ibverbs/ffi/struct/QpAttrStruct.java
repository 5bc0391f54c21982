package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.AlternatePath;
import io.rdmarpc.verbs.attributes.PathMigrationState;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * The attributes of a queue pair to modify, or the result of a query. A separate mask defines the valid fields.
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

    public static final StructLayout LAYOUT = struct(
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

    /** Allocates a zeroed struct. */
    public static QpAttrStruct allocate(SegmentAllocator allocator) {
        return new QpAttrStruct(allocator.allocate(LAYOUT));
    }

    /** Allocates a struct with all attributes; those that are not set have their defaults and are not in the mask. */
    public static QpAttrStruct allocate(SegmentAllocator allocator, QueuePairAttributes from) {
        QpAttrStruct to = allocate(allocator);
        to.setInt("qp_state", from.state().code());
        to.setInt("cur_qp_state", from.currentState().code());
        to.setInt("path_mtu", from.pathMtu().code());
        to.setInt("path_mig_state", from.migrationState().code());
        to.setInt("qkey", from.qkey());
        to.setInt("rq_psn", from.receivePsn());
        to.setInt("sq_psn", from.sendPsn());
        to.setInt("dest_qp_num", from.destinationQpn());
        to.setInt("qp_access_flags", from.accessFlags());
        to.setInt("rate_limit", from.rateLimitKbps());
        to.setShort("pkey_index", from.pkeyIndex());
        to.setByte("en_sqd_async_notify", from.notifyWhenDrained() ? 1 : 0);
        to.setByte("max_rd_atomic", from.maxReadAtomic());
        to.setByte("max_dest_rd_atomic", from.maxDestReadAtomic());
        to.setByte("min_rnr_timer", from.minRnrTimer());
        to.setByte("port_num", from.portNumber());
        to.setByte("timeout", from.timeout());
        to.setByte("retry_cnt", from.retryCount());
        to.setByte("rnr_retry", from.rnrRetry());
        to.writeNested(from);
        return to;
    }

    private void writeNested(QueuePairAttributes from) {
        QueuePairCapabilities capabilities = from.capabilities();
        if (capabilities != null) {
            QpCapStruct.write(nested("cap", QpCapStruct.LAYOUT), capabilities);
        }
        AddressHandleAttributes peer = from.addressVector();
        if (peer != null) {
            AhAttrStruct.write(nested("ah_attr", AhAttrStruct.LAYOUT), peer);
        }
        AlternatePath alternate = from.alternatePath();
        if (alternate != null) {
            AhAttrStruct.write(nested("alt_ah_attr", AhAttrStruct.LAYOUT), alternate.route());
            setShort("alt_pkey_index", alternate.pkeyIndex());
            setByte("alt_port_num", alternate.route().portNumber());
            setByte("alt_timeout", alternate.timeout());
        }
    }

    /**
     * Returns the attributes of a query. Attributes that the queue pair does not have yet are zero in most drivers, but
     * not in all. An invalid path MTU and an alternate path of port 0 stay unset.
     */
    public QueuePairAttributes toAttributes() {
        QueuePairAttributes to = new QueuePairAttributes()
                .state(state())
                .currentState(QueuePairState.of(getInt("cur_qp_state")))
                .notifyWhenDrained(getByte("en_sqd_async_notify") != 0)
                .sendQueueDraining(getByte("sq_draining") != 0)
                .accessFlags(getInt("qp_access_flags"))
                .pkeyIndex(getShort("pkey_index"))
                .portNumber(getByte("port_num"))
                .qkey(getInt("qkey"))
                .addressVector(AhAttrStruct.read(nested("ah_attr", AhAttrStruct.LAYOUT)))
                .timeout(getByte("timeout"))
                .retryCount(getByte("retry_cnt"))
                .rnrRetry(getByte("rnr_retry"))
                .receivePsn(getInt("rq_psn"))
                .maxReadAtomic(getByte("max_rd_atomic"))
                .minRnrTimer(getByte("min_rnr_timer"))
                .sendPsn(getInt("sq_psn"))
                .maxDestReadAtomic(getByte("max_dest_rd_atomic"))
                .migrationState(PathMigrationState.of(getInt("path_mig_state")))
                .capabilities(QpCapStruct.read(nested("cap", QpCapStruct.LAYOUT)))
                .destinationQpn(getInt("dest_qp_num"))
                .rateLimitKbps(getInt("rate_limit"));
        return readPaths(to);
    }

    private QueuePairAttributes readPaths(QueuePairAttributes to) {
        int mtu = getInt("path_mtu");
        if (mtu >= PathMtu.MTU_256.code() && mtu <= PathMtu.MTU_4096.code()) {
            to.pathMtu(PathMtu.of(mtu));
        }
        if (getByte("alt_port_num") != 0) {
            to.alternatePath(new AlternatePath(
                    AhAttrStruct.read(nested("alt_ah_attr", AhAttrStruct.LAYOUT)),
                    getShort("alt_pkey_index"),
                    getByte("alt_timeout")));
        }
        return to;
    }

    /** Returns the state of a query. */
    public QueuePairState state() {
        return QueuePairState.of(getInt("qp_state"));
    }

    private MemorySegment nested(String field, StructLayout layout) {
        return memory.asSlice(offset(LAYOUT, field), layout);
    }

    private int getInt(String field) {
        return memory.get(CStruct.U32, offset(LAYOUT, field));
    }

    private int getShort(String field) {
        return Short.toUnsignedInt(memory.get(CStruct.U16, offset(LAYOUT, field)));
    }

    private int getByte(String field) {
        return Byte.toUnsignedInt(memory.get(CStruct.U8, offset(LAYOUT, field)));
    }

    private void setInt(String field, int value) {
        memory.set(CStruct.U32, offset(LAYOUT, field), value);
    }

    private void setShort(String field, int value) {
        memory.set(CStruct.U16, offset(LAYOUT, field), (short) value);
    }

    private void setByte(String field, int value) {
        memory.set(CStruct.U8, offset(LAYOUT, field), (byte) value);
    }
}
