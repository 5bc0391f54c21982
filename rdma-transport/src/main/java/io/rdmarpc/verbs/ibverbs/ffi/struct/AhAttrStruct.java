package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;

/**
 * The route to a peer.
 *
 * <pre>
 *   struct ibv_ah_attr {              byte        struct ibv_global_route {  byte
 *       struct ibv_global_route grh;     0            union ibv_gid  dgid;     0
 *       uint16_t  dlid;                 24            uint32_t  flow_label;   16
 *       uint8_t   sl;                   26            uint8_t   sgid_index;   20
 *       uint8_t   src_path_bits;        27            uint8_t   hop_limit;    21
 *       uint8_t   static_rate;          28            uint8_t   traffic_class; 22
 *       uint8_t   is_global;            29        };                          24
 *       uint8_t   port_num;             30
 *   };                                  32
 * </pre>
 */
public final class AhAttrStruct {

    public static final StructLayout LAYOUT = struct(
            "ibv_ah_attr",
            struct(
                            "ibv_global_route",
                            GidEntryStruct.GID.withName("dgid"),
                            CStruct.U32.withName("flow_label"),
                            CStruct.U8.withName("sgid_index"),
                            CStruct.U8.withName("hop_limit"),
                            CStruct.U8.withName("traffic_class"))
                    .withName("grh"),
            CStruct.U16.withName("dlid"),
            CStruct.U8.withName("sl"),
            CStruct.U8.withName("src_path_bits"),
            CStruct.U8.withName("static_rate"),
            CStruct.U8.withName("is_global"),
            CStruct.U8.withName("port_num"));

    private AhAttrStruct() {}

    public static MemorySegment allocate(SegmentAllocator allocator, AddressHandleAttributes attributes) {
        MemorySegment memory = allocator.allocate(LAYOUT);
        write(memory, attributes);
        return memory;
    }

    /** Fills a zeroed struct. Only an InfiniBand route without a GID has no global route header. */
    static void write(MemorySegment memory, AddressHandleAttributes attributes) {
        GidEntryStruct.writeGid(memory, offset(LAYOUT, "grh", "dgid"), attributes.destinationGid());
        memory.set(CStruct.U32, offset(LAYOUT, "grh", "flow_label"), attributes.flowLabel());
        setByte(memory, attributes.sourceGidIndex(), "grh", "sgid_index");
        setByte(memory, attributes.hopLimit(), "grh", "hop_limit");
        setByte(memory, attributes.trafficClass(), "grh", "traffic_class");
        memory.set(CStruct.U16, offset(LAYOUT, "dlid"), (short) attributes.destinationLid());
        setByte(memory, attributes.serviceLevel(), "sl");
        setByte(memory, attributes.sourcePathBits(), "src_path_bits");
        setByte(memory, attributes.staticRate(), "static_rate");
        setByte(memory, attributes.destinationGid().isZero() ? 0 : 1, "is_global");
        setByte(memory, attributes.portNumber(), "port_num");
    }

    static AddressHandleAttributes read(MemorySegment memory) {
        return new AddressHandleAttributes(
                GidEntryStruct.readGid(memory, offset(LAYOUT, "grh", "dgid")),
                Short.toUnsignedInt(memory.get(CStruct.U16, offset(LAYOUT, "dlid"))),
                getByte(memory, "grh", "sgid_index"),
                getByte(memory, "grh", "hop_limit"),
                getByte(memory, "grh", "traffic_class"),
                getByte(memory, "sl"),
                getByte(memory, "port_num"),
                memory.get(CStruct.U32, offset(LAYOUT, "grh", "flow_label")),
                getByte(memory, "src_path_bits"),
                getByte(memory, "static_rate"));
    }

    private static int getByte(MemorySegment memory, String... path) {
        return Byte.toUnsignedInt(memory.get(CStruct.U8, offset(LAYOUT, path)));
    }

    private static void setByte(MemorySegment memory, int value, String... path) {
        memory.set(CStruct.U8, offset(LAYOUT, path), (byte) value);
    }
}
