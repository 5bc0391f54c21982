package io.rdmarpc.benchmarks.probe.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Looks up functions of the C library. Pointers are passed as longs, which have the same calling convention on 64-bit
 * Linux.
 */
final class Libc {

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private Libc() {}

    @SuppressWarnings("restricted") // the signatures match the C library's headers
    static MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
    }

    static AssertionError impossible(Throwable e) {
        return new AssertionError("a native call throws nothing", e);
    }
}
