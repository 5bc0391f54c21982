package io.rdmarpc.verbs.ibverbs.ffi;

import static io.rdmarpc.verbs.ibverbs.ffi.CStruct.chars;
import static io.rdmarpc.verbs.ibverbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ibverbs.ffi.CStruct.struct;
import static io.rdmarpc.verbs.ibverbs.ffi.CStruct.unused;

import io.rdmarpc.verbs.DeviceAttributes;
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
 *       ...                             160   16 ints that are not used here
 *       uint16_t  max_pkeys;            224   ...
 *       uint8_t   local_ca_ack_delay;   226
 *       uint8_t   phys_port_cnt;        227
 *   };                                  232
 * </pre>
 *
 * @param memory the struct
 */
public record DeviceAttrStruct(MemorySegment memory) {

    static final StructLayout LAYOUT = struct(
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
            unused(16 * CStruct.U32.byteSize()),
            CStruct.U16.withName("max_pkeys"),
            CStruct.U8.withName("local_ca_ack_delay"),
            CStruct.U8.withName("phys_port_cnt"));

    /** Allocates a zeroed one. */
    public static DeviceAttrStruct allocate(SegmentAllocator allocator) {
        return new DeviceAttrStruct(allocator.allocate(LAYOUT));
    }

    /** Takes a copy. */
    public DeviceAttributes toAttributes() {
        return new DeviceAttributes(
                memory.getString(offset(LAYOUT, "fw_ver")),
                memory.get(CStruct.U64.withOrder(ByteOrder.BIG_ENDIAN), offset(LAYOUT, "node_guid")),
                number("vendor_id"),
                number("vendor_part_id"),
                maxMrSize(),
                number("max_qp"),
                number("max_qp_wr"),
                number("max_sge"),
                number("max_cq"),
                number("max_cqe"),
                number("max_mr"),
                number("max_qp_rd_atom"),
                number("max_qp_init_rd_atom"),
                Byte.toUnsignedInt(memory.get(CStruct.U8, offset(LAYOUT, "phys_port_cnt"))));
    }

    /** Devices without a limit say all ones. */
    private long maxMrSize() {
        long bytes = memory.get(CStruct.U64, offset(LAYOUT, "max_mr_size"));
        return bytes < 0 ? Long.MAX_VALUE : bytes;
    }

    private int number(String field) {
        return memory.get(CStruct.U32, offset(LAYOUT, field));
    }
}
