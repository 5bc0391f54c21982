package io.rdmarpc.verbs.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Calls the functions of the C library that a wait for events requires on 64-bit Linux. {@link #CALL} can call other
 * functions. {@link #poll}, {@link #read} and {@link #write} are called for each wait and allocate nothing. The others
 * are called once for each object. None is a critical call: {@code poll} sleeps, and a safepoint must not wait for it.
 */
public final class LibC {

    public static final int EINTR = 4;
    public static final int F_GETFL = 3;
    public static final int F_SETFL = 4;
    public static final int O_NONBLOCK = 0x800;
    public static final int EFD_NONBLOCK = 0x800;
    public static final int EFD_CLOEXEC = 0x80000;
    public static final short POLLIN = 1;

    /**
     * The layout of the memory that receives {@code errno} of a call. Each user of {@link #poll} and {@link #read} has
     * its own.
     */
    public static final StructLayout CALL_STATE = Linker.Option.captureStateLayout();

    /**
     * Calls a C function without allocation: {@code (long) CALL.invokeExact(function, callState, a, b, c, d, e, f)}.
     * Every function receives six longs and reads those that it declares. Only the bits of the function's result type
     * are valid in the result. Keep the function, a {@link #symbol}, in a static final field. For a call per packet
     * from a deep call stack, prevent inlining, as the socket calls do.
     */
    public static final MethodHandle CALL = WordCalls.ofAny();

    /** Call state of calls whose error number is ignored. Thread-safe. */
    public static final MemorySegment UNREAD_STATE =
            Arena.global().allocate(CALL_STATE.byteSize(), CALL_STATE.byteAlignment());

    private static final long ERRNO = CStruct.offset(CALL_STATE, "errno");

    /** {@code int poll(struct pollfd *fds, nfds_t nfds, int timeout)}. */
    private static final MemorySegment POLL = symbol("poll");

    /** {@code ssize_t read(int fd, void *buf, size_t count)}. */
    private static final MemorySegment READ = symbol("read");

    /** {@code ssize_t write(int fd, const void *buf, size_t count)}. */
    private static final MemorySegment WRITE = symbol("write");

    /** {@code int eventfd(unsigned int initval, int flags)}. */
    private static final ControlCall EVENTFD =
            cold("eventfd", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32));

    /** {@code int fcntl(int fd, int cmd, ...)}. */
    private static final ControlCall FCNTL =
            cold("fcntl", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32));

    /** {@code int close(int fd)}. */
    private static final ControlCall CLOSE = cold("close", FunctionDescriptor.of(CStruct.U32, CStruct.U32));

    private LibC() {}

    /**
     * Waits for one of an array of {@code struct pollfd}; returns the number of ready descriptors, or a negative error
     * number.
     */
    public static int poll(MemorySegment callState, long descriptors, long count, int timeoutMillis) {
        int ready;
        try {
            ready = (int)
                    (long) CALL.invokeExact(POLL, callState, descriptors, count, (long) timeoutMillis, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw impossible(e);
        }
        return ready >= 0 ? ready : -errno(callState);
    }

    /** Reads from a descriptor; returns the number of bytes, or a negative error number. */
    public static long read(MemorySegment callState, int descriptor, long buffer, long bytes) {
        long taken;
        try {
            taken = (long) CALL.invokeExact(READ, callState, (long) descriptor, buffer, bytes, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw impossible(e);
        }
        return taken >= 0 ? taken : -errno(callState);
    }

    /** Writes to a descriptor; returns the number of bytes, or -1. Thread-safe. */
    public static long write(int descriptor, long buffer, long bytes) {
        try {
            return (long) CALL.invokeExact(WRITE, UNREAD_STATE, (long) descriptor, buffer, bytes, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    public static Reply eventfd(int flags) {
        return EVENTFD.call(0, flags);
    }

    /** Returns the status flags of a descriptor, such as {@link #O_NONBLOCK}. */
    public static Reply statusFlags(int descriptor) {
        return FCNTL.call(descriptor, F_GETFL, 0);
    }

    /** Makes a descriptor non-blocking: a read without data returns EAGAIN. */
    public static Reply setNonBlocking(int descriptor) {
        Reply flags = statusFlags(descriptor);
        return flags.value() < 0 ? flags : FCNTL.call(descriptor, F_SETFL, (int) flags.value() | O_NONBLOCK);
    }

    public static Reply close(int descriptor) {
        return CLOSE.call(descriptor);
    }

    public static int errno(MemorySegment callState) {
        return callState.get(ValueLayout.JAVA_INT, ERRNO);
    }

    public static AssertionError impossible(Throwable e) {
        return new AssertionError("a native call throws nothing", e);
    }

    /** Returns the address of a function of the C library. */
    public static MemorySegment symbol(String name) {
        return Linker.nativeLinker()
                .defaultLookup()
                .find(name)
                .orElseThrow(() -> new AssertionError("the C library has no function " + name));
    }

    /** Creates a call of a C library function outside of hot paths. */
    public static ControlCall cold(String name, FunctionDescriptor signature) {
        return new ControlCall(name, symbol(name), signature);
    }
}
