package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A memory window. Its key is the window's current key, by which a bind refers to the window. After a bind, the user of
 * a window of type 2 writes the key of that bind to the struct before the next bind.
 *
 * <pre>
 *   struct ibv_mw {                      byte
 *       struct ibv_context  *context;       0
 *       struct ibv_pd       *pd;            8
 *       uint32_t             rkey;         16
 *       uint32_t             handle;       20
 *       enum ibv_mw_type     type;         24
 *   };                                     32
 * </pre>
 *
 * @param memory the struct; it belongs to the library
 */
public record MwStruct(MemorySegment memory) {

    /** {@code IBV_MW_TYPE_2}: bound by work requests. */
    public static final int TYPE_2 = 2;

    public static final StructLayout LAYOUT = struct(
            "ibv_mw",
            CStruct.POINTER.withName("context"),
            CStruct.POINTER.withName("pd"),
            CStruct.U32.withName("rkey"),
            CStruct.U32.withName("handle"),
            CStruct.U32.withName("type"));

    /** Reads a new window and checks that its fields match its arguments. */
    public static MwStruct at(long pointer, long pd) {
        MwStruct mw = new MwStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        LayoutCheck.same("ibv_mw.pd", pd, mw.memory.get(CStruct.POINTER, offset(LAYOUT, "pd")));
        LayoutCheck.same("ibv_mw.type", TYPE_2, mw.memory.get(CStruct.U32, offset(LAYOUT, "type")));
        return mw;
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the window's current key. */
    public int rkey() {
        return memory.get(CStruct.U32, offset(LAYOUT, "rkey"));
    }

    /** Sets the window's current key, which is that of the last bind. */
    public void rkey(int key) {
        memory.set(CStruct.U32, offset(LAYOUT, "rkey"), key);
    }
}
