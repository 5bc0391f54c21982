package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A memory region.
 *
 * <pre>
 *   struct ibv_mr {                      byte
 *       struct ibv_context  *context;       0
 *       struct ibv_pd       *pd;            8
 *       void                *addr;         16
 *       size_t               length;       24
 *       uint32_t             handle;       32
 *       uint32_t             lkey;         36
 *       uint32_t             rkey;         40
 *   };                                     48
 * </pre>
 *
 * @param memory the struct; it belongs to the library
 */
public record MrStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_mr",
            CStruct.POINTER.withName("context"),
            CStruct.POINTER.withName("pd"),
            CStruct.POINTER.withName("addr"),
            CStruct.U64.withName("length"),
            CStruct.U32.withName("handle"),
            CStruct.U32.withName("lkey"),
            CStruct.U32.withName("rkey"));

    /** Reads a new region and checks that its fields match its arguments. */
    public static MrStruct at(long pointer, MemorySegment registered) {
        MrStruct mr = new MrStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        LayoutCheck.same("ibv_mr.addr", registered.address(), mr.memory.get(CStruct.POINTER, offset(LAYOUT, "addr")));
        LayoutCheck.same("ibv_mr.length", registered.byteSize(), mr.memory.get(CStruct.U64, offset(LAYOUT, "length")));
        return mr;
    }

    /** Reads a new region of a dma-buf, where {@code addr} is not an address. */
    public static MrStruct ofDmaBuf(long pointer, long bytes) {
        MrStruct mr = new MrStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        LayoutCheck.same("ibv_mr.length", bytes, mr.memory.get(CStruct.U64, offset(LAYOUT, "length")));
        return mr;
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the key for local work requests. */
    public int lkey() {
        return memory.get(CStruct.U32, offset(LAYOUT, "lkey"));
    }

    /** Returns the key for a peer's work requests. */
    public int rkey() {
        return memory.get(CStruct.U32, offset(LAYOUT, "rkey"));
    }
}
