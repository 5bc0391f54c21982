package io.rdmarpc.benchmarks.probe.ffi;

import static io.rdmarpc.benchmarks.probe.ffi.Libc.INT;
import static io.rdmarpc.benchmarks.probe.ffi.Libc.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** An {@code eventfd}: a read sleeps until another thread writes. */
public final class EventDescriptor implements AutoCloseable {

    private static final MethodHandle EVENTFD = Libc.function("eventfd", INT, INT, INT);
    private static final MethodHandle READ = Libc.function("read", LONG, INT, LONG, LONG);
    private static final MethodHandle WRITE = Libc.function("write", LONG, INT, LONG, LONG);
    private static final MethodHandle CLOSE = Libc.function("close", INT, INT);

    private final int descriptor;
    private final MemorySegment taken;
    private final MemorySegment one;

    /** Opens an {@code eventfd}. */
    public EventDescriptor(Arena arena) {
        this.taken = arena.allocate(LONG);
        this.one = arena.allocate(LONG);
        one.set(LONG, 0, 1);
        try {
            this.descriptor = (int) EVENTFD.invokeExact(0, 0);
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }

    /** Sleeps until {@link #ring}; one thread may call it. Returns whether it was woken by {@link #ring}. */
    public boolean await() {
        try {
            return (long) READ.invokeExact(descriptor, taken.address(), 8L) == 8;
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }

    /** Wakes the sleeping thread; another thread calls it. */
    public void ring() {
        try {
            long ignored = (long) WRITE.invokeExact(descriptor, one.address(), 8L);
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }

    @Override
    public void close() {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }
}
