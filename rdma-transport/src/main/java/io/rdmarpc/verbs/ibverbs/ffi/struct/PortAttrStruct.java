package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.PortLink;
import io.rdmarpc.verbs.attributes.PortState;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * The attributes of a port. The exported {@code ibv_query_port} fills only the first 48 bytes.
 *
 * <pre>
 *   struct ibv_port_attr {                  byte
 *       enum ibv_port_state  state;            0
 *       enum ibv_mtu         max_mtu;          4
 *       enum ibv_mtu         active_mtu;       8
 *       int                  gid_tbl_len;     12
 *       uint32_t             port_cap_flags;  16
 *       uint32_t             max_msg_sz;      20
 *       uint32_t             bad_pkey_cntr;   24
 *       uint32_t             qkey_viol_cntr;  28
 *       uint16_t             pkey_tbl_len;    32
 *       uint16_t             lid;             34
 *       uint16_t             sm_lid;          36
 *       uint8_t              lmc;             38
 *       uint8_t              max_vl_num;      39
 *       uint8_t              sm_sl;           40
 *       uint8_t              subnet_timeout;  41
 *       uint8_t              init_type_reply; 42
 *       uint8_t              active_width;    43
 *       uint8_t              active_speed;    44
 *       uint8_t              phys_state;      45
 *       uint8_t              link_layer;      46
 *       uint8_t              flags;           47
 *       uint16_t             port_cap_flags2; 48
 *   };                                        52
 * </pre>
 *
 * @param memory the struct
 */
public record PortAttrStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_port_attr",
            CStruct.U32.withName("state"),
            CStruct.U32.withName("max_mtu"),
            CStruct.U32.withName("active_mtu"),
            CStruct.U32.withName("gid_tbl_len"),
            CStruct.U32.withName("port_cap_flags"),
            CStruct.U32.withName("max_msg_sz"),
            CStruct.U32.withName("bad_pkey_cntr"),
            CStruct.U32.withName("qkey_viol_cntr"),
            CStruct.U16.withName("pkey_tbl_len"),
            CStruct.U16.withName("lid"),
            CStruct.U16.withName("sm_lid"),
            CStruct.U8.withName("lmc"),
            CStruct.U8.withName("max_vl_num"),
            CStruct.U8.withName("sm_sl"),
            CStruct.U8.withName("subnet_timeout"),
            CStruct.U8.withName("init_type_reply"),
            CStruct.U8.withName("active_width"),
            CStruct.U8.withName("active_speed"),
            CStruct.U8.withName("phys_state"),
            CStruct.U8.withName("link_layer"),
            CStruct.U8.withName("flags"),
            CStruct.U16.withName("port_cap_flags2"));

    /** Allocates a zeroed struct: old providers fill only the fields that existed in their release. */
    public static PortAttrStruct allocate(SegmentAllocator allocator) {
        return new PortAttrStruct(allocator.allocate(LAYOUT));
    }

    /** Returns a copy of the attributes. */
    public PortAttributes toAttributes() {
        return new PortAttributes(
                PortState.of(number("state")),
                mtu(number("max_mtu")),
                mtu(number("active_mtu")),
                number("gid_tbl_len"),
                medium("pkey_tbl_len"),
                Integer.toUnsignedLong(number("max_msg_sz")),
                medium("lid"),
                LinkLayer.of(small("link_layer")),
                number("port_cap_flags"),
                medium("port_cap_flags2"),
                new PortLink(
                        PortLink.PhysicalState.of(small("phys_state")), small("active_width"), small("active_speed")),
                subnet(),
                new PortAttributes.Counters(number("bad_pkey_cntr"), number("qkey_viol_cntr")));
    }

    private PortAttributes.Subnet subnet() {
        return new PortAttributes.Subnet(
                medium("sm_lid"),
                small("sm_sl"),
                small("lmc"),
                small("max_vl_num"),
                small("subnet_timeout"),
                small("init_type_reply"));
    }

    private int medium(String field) {
        return Short.toUnsignedInt(memory.get(CStruct.U16, offset(LAYOUT, field)));
    }

    private int small(String field) {
        return Byte.toUnsignedInt(memory.get(CStruct.U8, offset(LAYOUT, field)));
    }

    /**
     * Returns the path MTU. A port that is down may report 0; an unknown larger code is read as the largest known MTU.
     */
    private static PathMtu mtu(int code) {
        return PathMtu.of(Math.clamp(code, PathMtu.MTU_256.code(), PathMtu.MTU_4096.code()));
    }

    private int number(String field) {
        return memory.get(CStruct.U32, offset(LAYOUT, field));
    }
}
