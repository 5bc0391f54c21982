package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.Reply;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

/** Memory on huge pages: {@code mmap} with {@code MAP_HUGETLB}, which reserves the pages immediately or fails. */
public final class HugePageMapping {

    /** {@code PROT_READ | PROT_WRITE}. */
    static final int READ_WRITE = 1 | 2;

    /** {@code MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB}. */
    static final int ANONYMOUS_HUGE = 0x2 | 0x20 | 0x4_0000;

    private static final int NO_FILE = -1;
    private static final long FAILED = -1;

    // void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
    private static final ControlCall MMAP = verb(
            "mmap(MAP_HUGETLB)",
            "mmap",
            FunctionDescriptor.of(
                    CStruct.POINTER, CStruct.POINTER, CStruct.U64, CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U64));

    // int munmap(void *addr, size_t length);
    private static final ControlCall MUNMAP =
            verb("munmap", "munmap", FunctionDescriptor.of(CStruct.U32, CStruct.POINTER, CStruct.U64));

    private HugePageMapping() {}

    private static ControlCall verb(String name, String function, FunctionDescriptor signature) {
        return new ControlCall(name, Linker.nativeLinker().defaultLookup().findOrThrow(function), signature);
    }

    /**
     * Maps zeroed memory that is unmapped when the arena is closed.
     *
     * @param arena owns the memory
     * @param bytes the usable size
     * @param mappedBytes the same size, rounded up to whole pages
     * @param device the device's name, for the message
     * @param explanation returns the remedy for an error number
     */
    public static MemorySegment map(
            Arena arena, long bytes, long mappedBytes, String device, IntFunction<String> explanation) {
        Reply reply = MMAP.call(0L, mappedBytes, READ_WRITE, ANONYMOUS_HUGE, NO_FILE, 0L);
        long address = reply.value();
        if (address == FAILED) {
            reply.check(device, explanation);
        }
        return owned(arena, address, bytes, mappedBytes);
    }

    @SuppressWarnings("restricted") // The kernel has just mapped these bytes.
    private static MemorySegment owned(Arena arena, long address, long bytes, long mappedBytes) {
        try {
            return MemorySegment.ofAddress(address)
                    .reinterpret(bytes, arena, memory -> MUNMAP.call(memory.address(), mappedBytes));
        } catch (IllegalStateException e) { // The arena is closed.
            MUNMAP.call(address, mappedBytes);
            throw e;
        }
    }
}
