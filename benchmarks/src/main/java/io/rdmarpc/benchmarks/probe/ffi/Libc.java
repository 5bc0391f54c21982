package io.rdmarpc.benchmarks.probe.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Finds functions of the C library. Pointers are passed as longs, which 64-bit Linux treats alike. */
final class Libc {

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private Libc() {}

    @SuppressWarnings("restricted") // The signatures are those of the C library's headers.
    static MethodHandle function(String name, MemoryLayout result, MemoryLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(result, arguments));
    }

    static AssertionError impossible(Throwable e) {
        return new AssertionError("a native call throws nothing", e);
    }
}
