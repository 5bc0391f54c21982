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
    static final int SEEK_END = 2;
    static final int PROT_READ = 1;
    static final int PROT_WRITE = 2;
    static final int MAP_SHARED = 1;
    static final int MAP_POPULATE = 0x8000;

    private static final int SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW;

    /** {@code int memfd_create(const char *name, unsigned int flags)}. */
    private static final ControlCall CREATE =
            LibC.cold("memfd_create", FunctionDescriptor.of(CStruct.U32, CStruct.POINTER, CStruct.U32));

    /** {@code int fallocate(int fd, int mode, off_t offset, off_t len)}. */
    private static final ControlCall FALLOCATE = LibC.cold(
            "fallocate", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U64, CStruct.U64));

    /** {@code int fcntl(int fd, int cmd, ...)}. */
    private static final ControlCall FCNTL =
            LibC.cold("fcntl", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32));

    /** {@code off_t lseek(int fd, off_t offset, int whence)}. */
    private static final ControlCall LSEEK =
            LibC.cold("lseek", FunctionDescriptor.of(CStruct.U64, CStruct.U32, CStruct.U64, CStruct.U32));

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
        int descriptor;
        try (Arena arena = Arena.ofConfined()) {
            descriptor =
                    (int) checked(CREATE.call(arena.allocateFrom(name).address(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
        }
        MemFd memory = new MemFd(descriptor, bytes);
        try {
            checked(FALLOCATE.call(descriptor, 0, 0L, bytes));
            checked(FCNTL.call(descriptor, F_ADD_SEALS, SEALS));
            return memory;
        } catch (IOException e) {
            memory.close();
            throw e;
        }
    }

    /**
     * Takes memory of another process, which is closed when it cannot be used.
     *
     * @throws IOException when its size could change
     */
    public static MemFd received(int descriptor) throws IOException {
        MemFd unknown =
                new MemFd(descriptor, LSEEK.call(descriptor, 0L, SEEK_END).value());
        Reply seals = FCNTL.call(descriptor, F_GET_SEALS, 0);
        if (seals.value() < 0 || (seals.value() & SEALS) != SEALS || unknown.bytes <= 0) {
            unknown.close();
            throw new IOException("memory of " + unknown.bytes + " bytes with seals " + seals.value() + " instead of "
                    + SEALS + " is not mapped");
        }
        return unknown;
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
        return map(arena, 0, atEnd);
    }

    /** Maps all of it, so that no later access has to wait for a page. */
    public MemorySegment mapAtOnce(Arena arena) throws IOException {
        return map(arena, MAP_POPULATE, () -> {});
    }

    @SuppressWarnings("restricted") // The kernel says that so many bytes are there.
    private MemorySegment map(Arena arena, int flags, Runnable atEnd) throws IOException {
        long length = bytes;
        long address = checked(MMAP.call(0L, length, PROT_READ | PROT_WRITE, MAP_SHARED | flags, descriptor, 0L));
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
