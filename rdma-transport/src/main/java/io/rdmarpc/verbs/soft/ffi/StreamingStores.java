package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.ffi.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Non-temporal stores, which write whole cache lines to memory without first acquiring them from the caches of other
 * CPUs. Neither Java nor the C library has such stores for a size of the caller's choice. This class has its own x86-64
 * instructions in a page that is never writable and executable at once.
 *
 * <pre>
 *   clear(rdi: to, rsi: bytes)               copy(rdi: to, rsi: from, rdx: bytes)
 *
 *      endbr64                                  endbr64
 *      pxor    xmm0, xmm0                    1: movdqu  xmm0..3, [rsi], [rsi+16], [rsi+32], [rsi+48]
 *   1: movntdq [rdi], [rdi+16],                 movntdq [rdi], [rdi+16], [rdi+32], [rdi+48], xmm0..3
 *              [rdi+32], [rdi+48], xmm0         add     rsi, 64
 *      add     rdi, 64                          add     rdi, 64
 *      sub     rsi, 64                          sub     rdx, 64
 *      ja      1b                               ja      1b
 *      sfence                                   sfence
 *      ret                                      ret
 * </pre>
 *
 * <p>{@code movntdq} and {@code sfence}: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
 * 10.4.6.2, and volume 2; every x86-64 CPU has them. The code uses only registers that a function of the System V ABI
 * (AMD64 supplement, 3.2) may change. The fence makes the written lines visible before any later store, as for Java's
 * stores.
 *
 * <p>Any thread. A call delays safepoints, so a large range is written in parts.
 */
public final class StreamingStores {

    /** Size of a cache line in bytes; ranges must be aligned to it. */
    public static final int LINE_BYTES = 64;

    /** Maximum bytes of one call, about 10 µs. */
    private static final long PART_BYTES = 256 << 10;

    static final byte[] CLEAR_CODE = HexFormat.ofDelimiter(" ")
            .parseHex("f3 0f 1e fa"
                    + " 66 0f ef c0"
                    + " 66 0f e7 07 66 0f e7 47 10 66 0f e7 47 20 66 0f e7 47 30"
                    + " 48 83 c7 40"
                    + " 48 83 ee 40"
                    + " 77 e3"
                    + " 0f ae f8"
                    + " c3");

    static final byte[] COPY_CODE = HexFormat.ofDelimiter(" ")
            .parseHex("f3 0f 1e fa"
                    + " f3 0f 6f 06 f3 0f 6f 4e 10 f3 0f 6f 56 20 f3 0f 6f 5e 30"
                    + " 66 0f e7 07 66 0f e7 4f 10 66 0f e7 57 20 66 0f e7 5f 30"
                    + " 48 83 c6 40"
                    + " 48 83 c7 40"
                    + " 48 83 ea 40"
                    + " 77 cc"
                    + " 0f ae f8"
                    + " c3");

    private static final int COPY_AT = 128;
    private static final int CODE_BYTES = 4096;

    static final int PROT_EXEC = 4;
    static final int MAP_PRIVATE = 2;
    static final int MAP_ANONYMOUS = 0x20;

    private static final AtomicBoolean LOADING = new AtomicBoolean();
    private static volatile boolean ready;

    private StreamingStores() {}

    /**
     * Returns whether this process can use such stores. The first call returns false and starts a thread that loads
     * them, because this takes the JVM some milliseconds.
     */
    public static boolean areReady() {
        if (!ready && !LOADING.get() && LOADING.compareAndSet(false, true)) {
            Thread.startVirtualThread(StreamingStores::load);
        }
        return ready;
    }

    private static void load() {
        if (!NativeAccess.isGranted() || !System.getProperty("os.arch", "").equals("amd64")) {
            return;
        }
        try {
            Calls.verify();
            ready = true;
        } catch (IOException | ExceptionInInitializerError e) {
            System.getLogger(StreamingStores.class.getName())
                    .log(System.Logger.Level.DEBUG, "streaming stores are not available", e);
        }
    }

    /**
     * Writes zeros.
     *
     * @param memory whole aligned cache lines
     * @throws IllegalArgumentException if the memory is not aligned native memory, or is read-only
     */
    public static void clear(MemorySegment memory) {
        long bytes = checkLines(memory);
        for (long at = 0; at < bytes; at += PART_BYTES) {
            Calls.clear(memory.asSlice(at, Math.min(PART_BYTES, bytes - at)));
        }
    }

    /**
     * Copies.
     *
     * @param from the source, in native memory or on the heap
     * @param to whole aligned cache lines; their size is the number of bytes to copy
     * @throws IllegalArgumentException if the target is not aligned native memory, or is read-only
     * @throws IndexOutOfBoundsException if the source is shorter
     */
    public static void copy(MemorySegment from, MemorySegment to) {
        long bytes = checkLines(to);
        Objects.checkFromIndexSize(0, bytes, from.byteSize());
        for (long at = 0; at < bytes; at += PART_BYTES) {
            long part = Math.min(PART_BYTES, bytes - at);
            Calls.copy(from.asSlice(at, part), to.asSlice(at, part));
        }
    }

    /** Checks the target, because the instructions would crash the process on any other memory. */
    private static long checkLines(MemorySegment memory) {
        if (!memory.isNative()
                || memory.isReadOnly()
                || ((memory.address() | memory.byteSize()) & LINE_BYTES - 1) != 0) {
            throw new IllegalArgumentException(
                    memory + " is not writable native memory of whole cache lines of " + LINE_BYTES + " bytes");
        }
        return memory.byteSize();
    }

    /** The native calls, loaded on first use. */
    private static final class Calls {

        /** {@code int mprotect(void *addr, size_t len, int prot)}. */
        private static final ControlCall MPROTECT =
                LibC.cold("mprotect", FunctionDescriptor.of(CStruct.U32, CStruct.POINTER, CStruct.U64, CStruct.U32));

        private static final MethodHandle CLEAR;
        private static final MethodHandle COPY;

        static {
            long page = executablePage();
            CLEAR = function(page, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
            COPY = function(page + COPY_AT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG);
        }

        private Calls() {}

        /**
         * Copies the instructions to an executable page that is never freed; a security policy of the host may forbid
         * this.
         */
        @SuppressWarnings("restricted") // The kernel has mapped this number of bytes.
        private static long executablePage() {
            long address = checked(MemFd.MMAP.call(
                    0L, (long) CODE_BYTES, MemFd.PROT_READ | MemFd.PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L));
            MemorySegment page = MemorySegment.ofAddress(address).reinterpret(CODE_BYTES);
            MemorySegment.copy(CLEAR_CODE, 0, page, ValueLayout.JAVA_BYTE, 0, CLEAR_CODE.length);
            MemorySegment.copy(COPY_CODE, 0, page, ValueLayout.JAVA_BYTE, COPY_AT, COPY_CODE.length);
            checked(MPROTECT.call(address, (long) CODE_BYTES, MemFd.PROT_READ | PROT_EXEC));
            return address;
        }

        private static long checked(Reply reply) {
            if (reply.value() < 0) {
                throw new UncheckedIOException(
                        new IOException(reply.verb() + " failed with errno " + reply.capturedErrno()));
            }
            return reply.value();
        }

        /** Creates a critical function, because the source may be an array on the heap. */
        @SuppressWarnings("restricted") // The methods below pass valid segments and lengths.
        private static MethodHandle function(long code, MemoryLayout... arguments) {
            return Linker.nativeLinker()
                    .downcallHandle(
                            MemorySegment.ofAddress(code),
                            FunctionDescriptor.ofVoid(arguments),
                            Linker.Option.critical(true));
        }

        /** Runs both functions once, so that the first user does not wait for class loading. */
        static void verify() throws IOException {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment lines = arena.allocate(2 * LINE_BYTES, LINE_BYTES);
                lines.fill((byte) 1);
                clear(lines.asSlice(0, LINE_BYTES));
                copy(lines.asSlice(0, LINE_BYTES), lines.asSlice(LINE_BYTES));
                if (lines.mismatch(arena.allocate(2 * LINE_BYTES)) >= 0) {
                    throw new IOException("the streaming stores wrote wrong data");
                }
            }
        }

        static void clear(MemorySegment lines) {
            try {
                CLEAR.invokeExact(lines, lines.byteSize());
            } catch (RuntimeException e) {
                throw e; // Its arena is closed, or confined to another thread.
            } catch (Throwable e) {
                throw LibC.impossible(e);
            }
        }

        static void copy(MemorySegment from, MemorySegment to) {
            try {
                COPY.invokeExact(to, from, to.byteSize());
            } catch (RuntimeException e) {
                throw e; // As above.
            } catch (Throwable e) {
                throw LibC.impossible(e);
            }
        }
    }
}
