package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MrStruct;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Verbs for registration other than {@code ibv_reg_mr}. Most were added after rdma-core 17 and may be missing; the
 * caller checks that first.
 */
public final class RegistrationVerbs {

    /**
     * {@code IBV_ACCESS_OPTIONAL_RANGE}: flags that a library or kernel may ignore; old libraries and kernels reject
     * them.
     */
    public static final int OPTIONAL_ACCESS = 0x3FF0_0000;

    /** {@code IBV_REREG_MR_CHANGE_TRANSLATION}: the memory changes. */
    public static final int CHANGE_TRANSLATION = 1;

    /** {@code IBV_REREG_MR_CHANGE_ACCESS}: the rights change. */
    public static final int CHANGE_ACCESS = 1 << 2;

    private static final MemoryLayout POINTER = CStruct.POINTER;
    private static final MemoryLayout SIZE = CStruct.U64;
    private static final MemoryLayout INT = CStruct.U32;

    private final ControlCall reregMr;
    private final @Nullable ControlCall regMrIova2;
    private final @Nullable ControlCall regDmaBufMr;

    RegistrationVerbs(NativeLibrary library) {
        // int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access);
        reregMr = new ControlCall(
                "ibv_rereg_mr",
                library.symbol("ibv_rereg_mr"),
                FunctionDescriptor.of(INT, POINTER, INT, POINTER, POINTER, SIZE, INT));
        // struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
        //                                 unsigned int access);  since rdma-core 28
        regMrIova2 = optional(
                library, "ibv_reg_mr_iova2", FunctionDescriptor.of(POINTER, POINTER, POINTER, SIZE, SIZE, INT));
        // struct ibv_mr *ibv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length, uint64_t iova, int fd,
        //                                  int access);  since rdma-core 34
        regDmaBufMr = optional(
                library, "ibv_reg_dmabuf_mr", FunctionDescriptor.of(POINTER, POINTER, SIZE, SIZE, SIZE, INT, INT));
    }

    private static @Nullable ControlCall optional(NativeLibrary library, String name, FunctionDescriptor signature) {
        return library.optionalSymbol(name)
                .map(function -> new ControlCall(name, function, signature))
                .orElse(null);
    }

    /** Returns whether the library has {@link #regMrAt}, which supports optional flags. */
    public boolean hasRegMrAt() {
        return regMrIova2 != null;
    }

    /**
     * Registers memory whose first byte has the address {@code ioVirtualAddress} in work requests. The C macro calls
     * this verb for optional flags.
     */
    public Reply regMrAt(long pd, MemorySegment memory, long ioVirtualAddress, int access) {
        return present(regMrIova2).call(pd, memory.address(), memory.byteSize(), ioVirtualAddress, access);
    }

    /** Returns whether the library has {@link #regDmaBufMr}. */
    public boolean hasRegDmaBufMr() {
        return regDmaBufMr != null;
    }

    /** Registers another device's memory. */
    public Reply regDmaBufMr(long pd, long offset, long bytes, long ioVirtualAddress, int fileDescriptor, int access) {
        return present(regDmaBufMr).call(pd, offset, bytes, ioVirtualAddress, fileDescriptor, access);
    }

    /** Changes memory and rights of a region; the result is 0 or an {@code ibv_rereg_mr_err_code}. */
    public Reply reregMr(MrStruct mr, int flags, MemorySegment memory, int access) {
        return reregMr.call(mr.pointer(), flags, 0L, memory.address(), memory.byteSize(), access);
    }

    private static ControlCall present(@Nullable ControlCall verb) {
        if (verb == null) {
            throw new IllegalStateException("the library does not have this verb: check that first");
        }
        return verb;
    }
}
