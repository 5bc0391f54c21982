package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;

/**
 * Anonymous memory that processes share by passing its descriptor ({@code memfd_create(2)}). All pages are allocated at
 * the start, and seals fix the size. So a process that has mapped it can always access it.
 */
public final class MemFd implements AutoCloseable {

    static final int MFD_CLOEXEC = 1;
    static final int MFD_ALLOW_SEALING = 2;
    static final int F_ADD_SEALS = 1033;
    static final int F_GET_SEALS = 1034;
    static final int F_SEAL_SEAL = 1;
    static final int F_SEAL_SHRINK = 2;
    static final int F_SEAL_GROW = 4;
    static final int F_SEAL_FUTURE_WRITE = 0x10;
    static final int AT_EMPTY_PATH = 0x1000;
    static final int STATX_SIZE = 0x200;
    static final int PROT_READ = 1;
    static final int PROT_WRITE = 2;
    static final int MAP_SHARED = 1;
    static final int MAP_POPULATE = 0x8000;

    /** Size of {@code struct statfs}, whose first field is the type of the file system. */
    static final long STATFS_BYTES = 120;

    static final int TMPFS_MAGIC = 0x0102_1994;

    /** Size of {@code struct statx}; below, the offset of the file size in it. */
    static final long STATX_BYTES = 256;

    static final long STATX_SIZE_OFFSET = 40;

    private static final int SIZE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW;
    private static final int SEALS = F_SEAL_SEAL | SIZE_SEALS;

    /** {@code int memfd_create(const char *name, unsigned int flags)}. */
    private static final ControlCall CREATE =
            LibC.cold("memfd_create", FunctionDescriptor.of(CStruct.U32, CStruct.POINTER, CStruct.U32));

    /** {@code int fallocate(int fd, int mode, off_t offset, off_t len)}. */
    private static final ControlCall FALLOCATE = LibC.cold(
            "fallocate", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U64, CStruct.U64));

    /** {@code int fcntl(int fd, int cmd, ...)}. */
    private static final ControlCall FCNTL =
            LibC.cold("fcntl", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32));

    /** {@code int fstatfs(int fd, struct statfs *buf)}. */
    private static final ControlCall FSTATFS =
            LibC.cold("fstatfs", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.POINTER));

    /** {@code int statx(int dirfd, const char *pathname, int flags, unsigned int mask, struct statx *statxbuf)}. */
    private static final ControlCall STATX = LibC.cold(
            "statx",
            FunctionDescriptor.of(
                    CStruct.U32, CStruct.U32, CStruct.POINTER, CStruct.U32, CStruct.U32, CStruct.POINTER));

    /** {@code void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)}. */
    static final ControlCall MMAP = LibC.cold(
            "mmap",
            FunctionDescriptor.of(
                    CStruct.POINTER, CStruct.POINTER, CStruct.U64, CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U64));

    /** {@code int munmap(void *addr, size_t length)}. */
    static final ControlCall MUNMAP =
            LibC.cold("munmap", FunctionDescriptor.of(CStruct.U32, CStruct.POINTER, CStruct.U64));

    private final int descriptor;
    private final long bytes;

    private MemFd(int descriptor, long bytes) {
        this.descriptor = descriptor;
        this.bytes = bytes;
    }

    /**
     * Creates zeroed memory of a fixed size.
     *
     * @param name the name in {@code /proc}
     * @throws IOException if there is not enough memory, or too many descriptors are open
     */
    public static MemFd create(String name, long bytes) throws IOException {
        return create(name, bytes, SEALS);
    }

    /**
     * Creates zeroed memory of a fixed size that only its creator writes to. The creator maps it, seals it by {@link
     * #sealForReaders}, and then passes it on.
     *
     * @param name the name in {@code /proc}
     * @param bytes size in bytes
     * @return memory that can still be mapped for writing
     * @throws IOException if there is not enough memory, or too many descriptors are open
     */
    public static MemFd createForReaders(String name, long bytes) throws IOException {
        return create(name, bytes, SIZE_SEALS);
    }

    private static MemFd create(String name, long bytes, int seals) throws IOException {
        int descriptor;
        try (Arena arena = Arena.ofConfined()) {
            descriptor =
                    (int) checked(CREATE.call(arena.allocateFrom(name).address(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
        }
        MemFd memory = new MemFd(descriptor, bytes);
        try {
            checked(FALLOCATE.call(descriptor, 0, 0L, bytes));
            checked(FCNTL.call(descriptor, F_ADD_SEALS, seals));
            return memory;
        } catch (IOException e) {
            memory.close();
            throw e;
        }
    }

    /**
     * Prevents new writable mappings of this memory. Existing mappings stay writable. Kernels before 5.1 do not have
     * this seal and only seal the size.
     *
     * @throws IOException if the memory cannot be sealed
     */
    public void sealForReaders() throws IOException {
        if (FCNTL.call(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_FUTURE_WRITE)
                        .value()
                < 0) {
            checked(FCNTL.call(descriptor, F_ADD_SEALS, F_SEAL_SEAL));
        }
    }

    /**
     * Wraps memory of another process. Memory that is not safe to map is closed. The seals are checked before the size
     * is read: a size that was read earlier could have changed until then.
     *
     * @throws IOException if its size could change or its pages could vanish, which is possible in file systems other
     * than tmpfs
     */
    public static MemFd received(int descriptor) throws IOException {
        Reply seals = FCNTL.call(descriptor, F_GET_SEALS, 0);
        boolean sealed = seals.value() >= 0 && (seals.value() & SEALS) == SEALS && isInMemory(descriptor);
        long bytes = sealed ? size(descriptor) : 0;
        MemFd unknown = new MemFd(descriptor, bytes);
        if (bytes <= 0) {
            unknown.close();
            throw new IOException("cannot map memory of " + bytes + " bytes with seals " + seals.value() + ", seals "
                    + SEALS + " are required");
        }
        return unknown;
    }

    /** Returns the size. Not by {@code lseek}, which blocks while another process reads from the descriptor. */
    private static long size(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(STATX_BYTES, Long.BYTES);
            long empty = arena.allocateFrom("").address();
            Reply reply = STATX.call(descriptor, empty, AT_EMPTY_PATH, STATX_SIZE, found.address());
            return reply.value() == 0 ? found.get(CStruct.U64, STATX_SIZE_OFFSET) : 0;
        }
    }

    /**
     * Returns whether the file is in tmpfs. Huge pages have another file system: after a hole was punched into them,
     * pages may be unavailable.
     */
    private static boolean isInMemory(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(STATFS_BYTES, Long.BYTES);
            return FSTATFS.call(descriptor, found.address()).value() == 0 && found.get(CStruct.U64, 0) == TMPFS_MAGIC;
        }
    }

    private static long checked(Reply reply) throws IOException {
        if (reply.value() < 0) {
            throw new IOException(reply.verb() + " failed with errno " + reply.capturedErrno());
        }
        return reply.value();
    }

    /** Returns the descriptor, to pass to other processes. */
    public int descriptor() {
        return descriptor;
    }

    public long bytes() {
        return bytes;
    }

    /**
     * Maps the whole memory.
     *
     * @param arena owner of the mapping
     * @param atEnd runs before the memory is unmapped
     */
    public MemorySegment map(Arena arena, Runnable atEnd) throws IOException {
        return map(arena, bytes, PROT_READ | PROT_WRITE, 0, atEnd);
    }

    /**
     * Maps the whole memory and populates it, so that no later access causes a page fault. For local memory only: for
     * received memory a peer would decide how much this process allocates.
     */
    public MemorySegment mapPopulated(Arena arena) throws IOException {
        return map(arena, bytes, PROT_READ | PROT_WRITE, MAP_POPULATE, () -> {});
    }

    /**
     * Maps the beginning of the memory.
     *
     * @param arena owner of the mapping
     * @param first number of bytes, at most the size
     * @return the mapped memory
     * @throws IOException if it cannot be mapped
     */
    public MemorySegment mapStart(Arena arena, long first) throws IOException {
        return map(arena, Math.min(first, bytes), PROT_READ | PROT_WRITE, 0, () -> {});
    }

    /**
     * Maps the whole memory for reading.
     *
     * @param arena owner of the mapping
     * @return read-only memory
     * @throws IOException if it cannot be mapped
     */
    public MemorySegment mapForReading(Arena arena) throws IOException {
        return map(arena, bytes, PROT_READ, 0, () -> {}).asReadOnly();
    }

    @SuppressWarnings("restricted") // The kernel has mapped this number of bytes.
    private MemorySegment map(Arena arena, long length, int protection, int flags, Runnable atEnd) throws IOException {
        long address = checked(MMAP.call(0L, length, protection, MAP_SHARED | flags, descriptor, 0L));
        return MemorySegment.ofAddress(address).reinterpret(length, arena, _ -> {
            atEnd.run();
            MUNMAP.call(address, length);
        });
    }

    /** Closes the descriptor; mappings stay. */
    @Override
    public void close() {
        LibC.close(descriptor);
    }
}
