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
 * Memory without a name that processes share by passing its descriptor ({@code memfd_create(2)}). All of it is there from the
 * start, and seals keep its size: whoever has mapped it can always touch it, whatever other processes do.
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

    /** Size of {@code struct statfs}, of which the first field is the kind of file system. */
    static final long STATFS_BYTES = 120;

    static final int TMPFS_MAGIC = 0x0102_1994;

    /** Size of {@code struct statx}, and where in it the size of the file is. */
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
     * Makes zeroed memory of a size for good.
     *
     * @param name shown in {@code /proc}
     * @throws IOException when there is not enough memory, or are too many descriptors
     */
    public static MemFd create(String name, long bytes) throws IOException {
        return create(name, bytes, SEALS);
    }

    /**
     * Makes zeroed memory of a size for good, which only its maker writes to: to be mapped, then sealed by {@link #sealForReaders}, then
     * passed on.
     *
     * @param name shown in {@code /proc}
     * @param bytes its size
     * @return memory that its maker can still map for writing
     * @throws IOException when there is not enough memory, or are too many descriptors
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
     * Keeps everybody from mapping this memory for writing from now on. Mappings that exist stay writable. Kernels before 5.1 have no
     * such seal: there the size alone is sealed.
     *
     * @throws IOException when the memory cannot be sealed
     */
    public void sealForReaders() throws IOException {
        if (FCNTL.call(descriptor, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_FUTURE_WRITE)
                        .value()
                < 0) {
            checked(FCNTL.call(descriptor, F_ADD_SEALS, F_SEAL_SEAL));
        }
    }

    /**
     * Takes memory of another process, which is closed when it cannot be used. The seals are looked at before the size: a size that
     * was read before could have changed until then.
     *
     * @throws IOException when its size could change, or its pages could vanish: those of other file systems than that of memory can
     */
    public static MemFd received(int descriptor) throws IOException {
        Reply seals = FCNTL.call(descriptor, F_GET_SEALS, 0);
        boolean sealed = seals.value() >= 0 && (seals.value() & SEALS) == SEALS && isInMemory(descriptor);
        long bytes = sealed ? size(descriptor) : 0;
        MemFd unknown = new MemFd(descriptor, bytes);
        if (bytes <= 0) {
            unknown.close();
            throw new IOException("memory of " + bytes + " bytes with seals " + seals.value() + " instead of " + SEALS
                    + " is not mapped");
        }
        return unknown;
    }

    /** Not by {@code lseek}, which waits while another process that has the descriptor is in a read of it. */
    private static long size(int descriptor) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment found = arena.allocate(STATX_BYTES, Long.BYTES);
            long empty = arena.allocateFrom("").address();
            Reply reply = STATX.call(descriptor, empty, AT_EMPTY_PATH, STATX_SIZE, found.address());
            return reply.value() == 0 ? found.get(CStruct.U64, STATX_SIZE_OFFSET) : 0;
        }
    }

    /** Huge pages are of a file system of their own: pages that were punched out of them may not come back. */
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

    /** Returns the descriptor to pass to others. */
    public int descriptor() {
        return descriptor;
    }

    public long bytes() {
        return bytes;
    }

    /**
     * Maps all of it.
     *
     * @param arena ends the mapping
     * @param atEnd runs before the mapping ends
     */
    public MemorySegment map(Arena arena, Runnable atEnd) throws IOException {
        return map(arena, bytes, PROT_READ | PROT_WRITE, 0, atEnd);
    }

    /**
     * Maps all of it, so that no later access has to wait for a page. For own memory only: a peer that chose the size would decide how
     * much memory this process takes now.
     */
    public MemorySegment mapAtOnce(Arena arena) throws IOException {
        return map(arena, bytes, PROT_READ | PROT_WRITE, MAP_POPULATE, () -> {});
    }

    /**
     * Maps the beginning of it.
     *
     * @param arena ends the mapping
     * @param first how many bytes, of which there must be as many
     * @return memory of that size
     * @throws IOException when it cannot be mapped
     */
    public MemorySegment mapStart(Arena arena, long first) throws IOException {
        return map(arena, Math.min(first, bytes), PROT_READ | PROT_WRITE, 0, () -> {});
    }

    /**
     * Maps all of it for reading.
     *
     * @param arena ends the mapping
     * @return memory that must not be written to
     * @throws IOException when it cannot be mapped
     */
    public MemorySegment mapForReading(Arena arena) throws IOException {
        return map(arena, bytes, PROT_READ, 0, () -> {}).asReadOnly();
    }

    @SuppressWarnings("restricted") // The kernel says that so many bytes are there.
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
