package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An entry of a GID table, used or not.
 *
 * <pre>
 *   struct ibv_gid_entry {           byte
 *       union ibv_gid  gid;             0   16 bytes in network order
 *       uint32_t       gid_index;      16
 *       uint32_t       port_num;       20
 *       uint32_t       gid_type;       24   enum ibv_gid_type
 *       uint32_t       ndev_ifindex;   28
 *   };                                 32
 * </pre>
 *
 * @param memory the struct
 */
public record GidEntryStruct(MemorySegment memory) {

    /** {@code union ibv_gid}: in C it is aligned for its 64-bit member. */
    static final MemoryLayout GID = MemoryLayout.sequenceLayout(2, ValueLayout.JAVA_LONG);

    public static final StructLayout LAYOUT = struct(
            "ibv_gid_entry",
            GID.withName("gid"),
            CStruct.U32.withName("gid_index"),
            CStruct.U32.withName("port_num"),
            CStruct.U32.withName("gid_type"),
            CStruct.U32.withName("ndev_ifindex"));

    private static final ValueLayout.OfLong NETWORK_ORDER = ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

    public static MemorySegment allocateArray(SegmentAllocator allocator, long entries) {
        return allocator.allocate(LAYOUT, entries);
    }

    public static GidEntryStruct of(MemorySegment array, long index) {
        return new GidEntryStruct(array.asSlice(index * LAYOUT.byteSize(), LAYOUT));
    }

    /** Reads a {@code union ibv_gid}. */
    public static Gid readGid(MemorySegment memory, long offset) {
        return new Gid(memory.get(NETWORK_ORDER, offset), memory.get(NETWORK_ORDER, offset + Long.BYTES));
    }

    /** Writes a {@code union ibv_gid}. */
    static void writeGid(MemorySegment memory, long offset, Gid gid) {
        memory.set(NETWORK_ORDER, offset, gid.high());
        memory.set(NETWORK_ORDER, offset + Long.BYTES, gid.low());
    }

    /** Returns the port to which the entry belongs. */
    public int portNumber() {
        return number("port_num");
    }

    /** Returns a copy of the entry. */
    public GidEntry toEntry() {
        return new GidEntry(
                number("gid_index"),
                readGid(memory, offset(LAYOUT, "gid")),
                GidType.of(number("gid_type")),
                number("ndev_ifindex"));
    }

    private int number(String field) {
        return memory.get(CStruct.U32, offset(LAYOUT, field));
    }
}
