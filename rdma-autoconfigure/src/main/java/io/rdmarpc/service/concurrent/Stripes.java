package io.rdmarpc.service.concurrent;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Selects the stripe of state that is spread over processors, so that two processors rarely write the same cache line. A
 * stripe belongs to no thread: a thread may move to another processor at any time, so threads access a stripe atomically.
 *
 * <p>A platform thread has the same stripe in all state. A virtual thread has the stripe of the processor that runs it.
 * Virtual threads are numerous and short-lived. Those that run one after the other on a processor find what the last one left
 * in its cache.
 */
public final class Stripes {

    /** Number of stripes: a power of two, at least the number of processors unless there are more than 256. */
    public static final int COUNT = count(Runtime.getRuntime().availableProcessors());

    /** A container may use only some of the host's processors, and their numbers may be any. */
    private static final int MIN_COUNT = 16;

    private static final int MAX_COUNT = 256;

    /** 2^64 divided by the golden ratio: spreads consecutive numbers evenly. */
    private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

    private static final int SHIFT = Long.numberOfLeadingZeros(COUNT) + 1;

    private static final AtomicInteger PLATFORM_THREADS = new AtomicInteger();
    private static final ThreadLocal<Integer> PLATFORM_NUMBER =
            ThreadLocal.withInitial(() -> PLATFORM_THREADS.getAndIncrement() & Integer.MAX_VALUE);

    private Stripes() {}

    static int count(int processors) {
        int wanted = Math.clamp(processors, MIN_COUNT, MAX_COUNT);
        return Integer.highestOneBit(2 * wanted - 1);
    }

    /**
     * Returns the stripe of the current thread, or of the processor that runs it if the thread is virtual.
     *
     * @return 0 to {@link #COUNT} - 1
     */
    public static int current() {
        return Thread.currentThread().isVirtual() && Processor.KNOWN ? Processor.number() & (COUNT - 1) : ofThread();
    }

    /**
     * Returns the stripe of the current thread, which is the same for all its calls.
     *
     * @return 0 to {@link #COUNT} - 1
     */
    public static int ofThread() {
        return of(Thread.currentThread().threadId());
    }

    /**
     * Spreads threads over some objects, each thread always to the same one. Platform threads that ask one after the other get
     * consecutive objects. Virtual threads, which may be short-lived, are spread by their ids.
     *
     * @param count number of objects, at least 1
     * @return 0 to {@code count} - 1
     */
    public static int ofThread(int count) {
        Thread thread = Thread.currentThread();
        return thread.isVirtual() ? of(thread.threadId(), count) : PLATFORM_NUMBER.get() % count;
    }

    static int of(long threadId, int count) {
        return (int) ((((threadId * SPREAD) >>> Integer.SIZE) * count) >>> Integer.SIZE);
    }

    static int of(long threadId) {
        return (int) ((threadId * SPREAD) >>> SHIFT);
    }

    /**
     * {@code int sched_getcpu(void)} of Linux, see its manual page: a read of thread-local memory in current libraries. It is
     * looked up by the first virtual thread that asks, not when the application starts.
     */
    private static final class Processor {

        private static final MethodHandle SCHED_GETCPU = function();

        /** Whether the system tells which processor runs a thread. Otherwise the thread's id selects the stripe. */
        static final boolean KNOWN = number() >= 0;

        /** A lookup without native access would print a warning. */
        @SuppressWarnings("restricted") // The signature is from the manual page.
        private static MethodHandle function() {
            if (!Stripes.class.getModule().isNativeAccessEnabled()) {
                return MethodHandles.constant(int.class, -1);
            }
            Linker linker = Linker.nativeLinker();
            return linker.defaultLookup()
                    .find("sched_getcpu")
                    .map(symbol -> linker.downcallHandle(
                            symbol, FunctionDescriptor.of(ValueLayout.JAVA_INT), Linker.Option.critical(false)))
                    .orElseGet(() -> MethodHandles.constant(int.class, -1));
        }

        /** Returns the number of the processor that runs the current thread, negative if the system does not tell. */
        static int number() {
            try {
                return (int) SCHED_GETCPU.invokeExact();
            } catch (Throwable e) {
                throw new AssertionError("a native call does not throw", e);
            }
        }
    }
}
