package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ibverbs.ffi.struct.LayoutCheck;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.util.Optional;

/**
 * Checks that the symbols have the versions to which a C program would be linked. libibverbs keeps two versions of its
 * older functions: {@code ibv_reg_mr@IBVERBS_1.0} uses the structs of 2005, {@code ibv_reg_mr@@IBVERBS_1.1} the current
 * ones.
 */
final class SymbolVersions {

    /** Finds a library that is already loaded: {@code RTLD_LAZY | RTLD_NOLOAD} of glibc. */
    static final int LAZY_NOLOAD = 1 | 4;

    private static final String CURRENT = "IBVERBS_1.1";

    private SymbolVersions() {}

    /** Checks symbols; does nothing if the C library has no symbol versions. */
    static void check(String file, NativeLibrary library, String... names) {
        SymbolLookup standard = Linker.nativeLinker().defaultLookup();
        Optional<MemorySegment> dlopen = standard.find("dlopen");
        Optional<MemorySegment> dlvsym = standard.find("dlvsym");
        if (dlopen.isEmpty() || dlvsym.isEmpty()) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            long handle = dlopen(dlopen.get(), arena.allocateFrom(file).address());
            ControlCall versioned = new ControlCall(
                    "dlvsym",
                    dlvsym.get(),
                    FunctionDescriptor.of(CStruct.POINTER, CStruct.POINTER, CStruct.POINTER, CStruct.POINTER));
            long version = arena.allocateFrom(CURRENT).address();
            for (String name : names) {
                long expected = versioned
                        .call(handle, arena.allocateFrom(name).address(), version)
                        .value();
                LayoutCheck.same(
                        name + "@@" + CURRENT, expected, library.symbol(name).address());
            }
        }
    }

    private static long dlopen(MemorySegment function, long file) {
        ControlCall open = new ControlCall(
                "dlopen", function, FunctionDescriptor.of(CStruct.POINTER, CStruct.POINTER, CStruct.U32));
        return open.call(file, LAZY_NOLOAD).value();
    }
}
