package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;

/** Anonymous memory that any holder of its descriptor can shorten. */
final class UnsealedMemory {

    private UnsealedMemory() {}

    /** Creates such memory and returns its descriptor. */
    static int create() {
        try (Arena arena = Arena.ofConfined()) {
            int descriptor =
                    (int) LibC.cold("memfd_create", FunctionDescriptor.of(CStruct.U32, CStruct.POINTER, CStruct.U32))
                            .call(arena.allocateFrom("unsealed").address(), 3)
                            .value();
            LibC.cold("ftruncate", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U64))
                    .call(descriptor, 4096L);
            return descriptor;
        }
    }
}
