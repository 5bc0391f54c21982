package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.NativeAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of this process whose pages the kernel allocates at the first access ({@code mmap(2)} with {@code
 * MAP_ANONYMOUS}). The JVM's own allocation writes to all pages, which costs time and memory for pages that are never
 * used.
 */
public final class AnonymousPages {

    private static final int PAGE_BYTES = 4096;
    private static final int NO_FILE = -1;
    private static final long FAILED = -1;

    private AnonymousPages() {}

    /**
     * Allocates zeroed memory; from the JVM if it cannot be mapped.
     *
     * @param arena owner of the memory
     * @param bytes size in bytes
     * @return the memory; page-aligned
     */
    public static MemorySegment allocate(Arena arena, long bytes) {
        long address = NativeAccess.isGranted() && bytes > 0 ? map(bytes) : FAILED;
        return address == FAILED ? arena.allocate(bytes, PAGE_BYTES) : owned(arena, address, bytes);
    }

    private static long map(long bytes) {
        int flags = StreamingStores.MAP_PRIVATE | StreamingStores.MAP_ANONYMOUS;
        return MemFd.MMAP
                .call(0L, bytes, MemFd.PROT_READ | MemFd.PROT_WRITE, flags, NO_FILE, 0L)
                .value();
    }

    @SuppressWarnings("restricted") // The kernel has mapped these bytes.
    private static MemorySegment owned(Arena arena, long address, long bytes) {
        try {
            return MemorySegment.ofAddress(address)
                    .reinterpret(bytes, arena, memory -> MemFd.MUNMAP.call(memory.address(), bytes));
        } catch (IllegalStateException e) { // The arena is closed.
            MemFd.MUNMAP.call(address, bytes);
            throw e;
        }
    }
}
