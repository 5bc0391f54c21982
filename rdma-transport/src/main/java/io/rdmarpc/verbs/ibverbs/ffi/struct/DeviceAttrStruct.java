package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.chars;
import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.DeviceAttributes.AddressLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.MemoryLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.ObsoleteLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.QueueLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.ReadLimits;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.nio.ByteOrder;

/**
 * The limits of a device.
 *
 * <pre>
 *   struct ibv_device_attr {           byte
 *       char      fw_ver[64];             0
 *       __be64    node_guid;             64
 *       __be64    sys_image_guid;        72
 *       uint64_t  max_mr_size;           80
 *       uint64_t  page_size_cap;         88
 *       uint32_t  vendor_id;             96
 *       uint32_t  vendor_part_id;       100
 *       uint32_t  hw_ver;               104
 *       int       max_qp;               108
 *       int       max_qp_wr;            112
 *       unsigned  device_cap_flags;     116
 *       int       max_sge;              120
 *       int       max_sge_rd;           124
 *       int       max_cq;               128
 *       int       max_cqe;              132
 *       int       max_mr;               136
 *       int       max_pd;               140
 *       int       max_qp_rd_atom;       144
 *       int       max_ee_rd_atom;       148
 *       int       max_res_rd_atom;      152
 *       int       max_qp_init_rd_atom;  156
 *       int       max_ee_init_rd_atom;  160
 *       enum ibv_atomic_cap atomic_cap; 164
 *       int       max_ee;               168
 *       int       max_rdd;              172
 *       int       max_mw;               176
 *       int       max_raw_ipv6_qp;      180
 *       int       max_raw_ethy_qp;      184
 *       int       max_mcast_grp;        188
 *       int       max_mcast_qp_attach;  192
 *       int       max_total_mcast_qp_attach; 196
 *       int       max_ah;               200
 *       int       max_fmr;              204
 *       int       max_map_per_fmr;      208
 *       int       max_srq;              212
 *       int       max_srq_wr;           216
 *       int       max_srq_sge;          220
 *       uint16_t  max_pkeys;            224
 *       uint8_t   local_ca_ack_delay;   226
 *       uint8_t   phys_port_cnt;        227
 *   };                                  232
 * </pre>
 *
 * @param memory the struct
 */
public record DeviceAttrStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_device_attr",
            chars("fw_ver", 64),
            CStruct.U64.withOrder(ByteOrder.BIG_ENDIAN).withName("node_guid"),
            CStruct.U64.withOrder(ByteOrder.BIG_ENDIAN).withName("sys_image_guid"),
            CStruct.U64.withName("max_mr_size"),
            CStruct.U64.withName("page_size_cap"),
            CStruct.U32.withName("vendor_id"),
            CStruct.U32.withName("vendor_part_id"),
            CStruct.U32.withName("hw_ver"),
            CStruct.U32.withName("max_qp"),
            CStruct.U32.withName("max_qp_wr"),
            CStruct.U32.withName("device_cap_flags"),
            CStruct.U32.withName("max_sge"),
            CStruct.U32.withName("max_sge_rd"),
            CStruct.U32.withName("max_cq"),
            CStruct.U32.withName("max_cqe"),
            CStruct.U32.withName("max_mr"),
            CStruct.U32.withName("max_pd"),
            CStruct.U32.withName("max_qp_rd_atom"),
            CStruct.U32.withName("max_ee_rd_atom"),
            CStruct.U32.withName("max_res_rd_atom"),
            CStruct.U32.withName("max_qp_init_rd_atom"),
            CStruct.U32.withName("max_ee_init_rd_atom"),
            CStruct.U32.withName("atomic_cap"),
            CStruct.U32.withName("max_ee"),
            CStruct.U32.withName("max_rdd"),
            CStruct.U32.withName("max_mw"),
            CStruct.U32.withName("max_raw_ipv6_qp"),
            CStruct.U32.withName("max_raw_ethy_qp"),
            CStruct.U32.withName("max_mcast_grp"),
            CStruct.U32.withName("max_mcast_qp_attach"),
            CStruct.U32.withName("max_total_mcast_qp_attach"),
            CStruct.U32.withName("max_ah"),
            CStruct.U32.withName("max_fmr"),
            CStruct.U32.withName("max_map_per_fmr"),
            CStruct.U32.withName("max_srq"),
            CStruct.U32.withName("max_srq_wr"),
            CStruct.U32.withName("max_srq_sge"),
            CStruct.U16.withName("max_pkeys"),
            CStruct.U8.withName("local_ca_ack_delay"),
            CStruct.U8.withName("phys_port_cnt"));

    /** Allocates a zeroed struct. */
    public static DeviceAttrStruct allocate(SegmentAllocator allocator) {
        return new DeviceAttrStruct(allocator.allocate(LAYOUT));
    }

    /**
     * Returns a copy of the attributes.
     *
     * @param completionVectors number of interrupt vectors, which only the context has
     */
    public DeviceAttributes toAttributes(int completionVectors) {
        return new DeviceAttributes(
                memory.getString(offset(LAYOUT, "fw_ver")),
                guid("node_guid"),
                guid("sys_image_guid"),
                number("vendor_id"),
                number("vendor_part_id"),
                number("hw_ver"),
                small("phys_port_cnt"),
                completionVectors,
                small("local_ca_ack_delay"),
                number("device_cap_flags"),
                AtomicCapability.of(number("atomic_cap")),
                memoryLimits(),
                queueLimits(),
                new ReadLimits(number("max_qp_rd_atom"), number("max_qp_init_rd_atom"), number("max_res_rd_atom")),
                addressLimits(),
                obsoleteLimits());
    }

    private MemoryLimits memoryLimits() {
        long pageSizes = memory.get(CStruct.U64, offset(LAYOUT, "page_size_cap"));
        return new MemoryLimits(maxMrSize(), pageSizes, number("max_mr"), number("max_mw"), number("max_pd"));
    }

    /** Returns the limit; devices without a limit report all ones. */
    private long maxMrSize() {
        long bytes = memory.get(CStruct.U64, offset(LAYOUT, "max_mr_size"));
        return bytes < 0 ? Long.MAX_VALUE : bytes;
    }

    private QueueLimits queueLimits() {
        return new QueueLimits(
                number("max_qp"),
                number("max_qp_wr"),
                number("max_sge"),
                number("max_sge_rd"),
                number("max_cq"),
                number("max_cqe"),
                number("max_srq"),
                number("max_srq_wr"),
                number("max_srq_sge"));
    }

    private AddressLimits addressLimits() {
        return new AddressLimits(
                number("max_ah"),
                Short.toUnsignedInt(memory.get(CStruct.U16, offset(LAYOUT, "max_pkeys"))),
                number("max_mcast_grp"),
                number("max_mcast_qp_attach"),
                number("max_total_mcast_qp_attach"));
    }

    private ObsoleteLimits obsoleteLimits() {
        return new ObsoleteLimits(
                number("max_ee"),
                number("max_rdd"),
                number("max_ee_rd_atom"),
                number("max_ee_init_rd_atom"),
                number("max_raw_ipv6_qp"),
                number("max_raw_ethy_qp"),
                number("max_fmr"),
                number("max_map_per_fmr"));
    }

    private long guid(String field) {
        return memory.get(CStruct.U64.withOrder(ByteOrder.BIG_ENDIAN), offset(LAYOUT, field));
    }

    private int small(String field) {
        return Byte.toUnsignedInt(memory.get(CStruct.U8, offset(LAYOUT, field)));
    }

    private int number(String field) {
        return memory.get(CStruct.U32, offset(LAYOUT, field));
    }
}
