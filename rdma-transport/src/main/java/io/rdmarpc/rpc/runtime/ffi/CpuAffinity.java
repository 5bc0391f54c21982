package io.rdmarpc.rpc.runtime.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Binds the calling thread to one processor: {@code sched_setaffinity(0, size, mask)} of Linux. A mask is an array of
 * bytes; processor n is bit n % 8 of byte n / 8. This equals the kernel's array of words because x86 and ARM are
 * little-endian.
 */
public final class CpuAffinity {

    /** Size of a mask in processors; the kernel accepts masks of any size. */
    public static final int MAX_CPUS = 1024;

    private static final long MASK_BYTES = MAX_CPUS / 8;

    private CpuAffinity() {}

    /**
     * Returns why threads cannot be bound on this system.
     *
     * @return a description, empty if they can be bound
     */
    public static String obstacle() {
        if (!System.getProperty("os.name", "").startsWith("Linux")) {
            return "only Linux is supported";
        }
        return CpuAffinity.class.getModule().isNativeAccessEnabled()
                ? ""
                : "native access is not enabled: start Java with --enable-native-access for this library";
    }

    /**
     * Binds the calling thread.
     *
     * @param cpu the processor's number
     * @return 0 or an error number
     */
    public static int bind(int cpu) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            mask.set(ValueLayout.JAVA_BYTE, cpu / 8, (byte) (1 << cpu % 8));
            MemorySegment state = arena.allocate(Calls.STATE);
            return Calls.call(Calls.SET, state, mask) < 0 ? (int) Calls.ERRNO.get(state, 0L) : 0;
        }
    }

    /**
     * Returns the number of processors on which the calling thread may run.
     *
     * @return the number, 0 if the system call fails
     */
    public static int count() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mask = arena.allocate(MASK_BYTES, 8);
            if (Calls.call(Calls.GET, arena.allocate(Calls.STATE), mask) < 0) {
                return 0;
            }
            int count = 0;
            for (long at = 0; at < MASK_BYTES; at++) {
                count += Integer.bitCount(mask.get(ValueLayout.JAVA_BYTE, at) & 0xFF);
            }
            return count;
        }
    }

    /** Looked up on first use: the functions do not exist on other systems. */
    private static final class Calls {

        static final StructLayout STATE = Linker.Option.captureStateLayout();
        static final VarHandle ERRNO = STATE.varHandle(PathElement.groupElement("errno"));

        /** {@code int sched_setaffinity(pid_t pid, size_t cpusetsize, const cpu_set_t *mask)}. */
        static final MethodHandle SET = function("sched_setaffinity");

        /** {@code int sched_getaffinity(pid_t pid, size_t cpusetsize, cpu_set_t *mask)}. */
        static final MethodHandle GET = function("sched_getaffinity");

        @SuppressWarnings("restricted") // The signature is from the manual page.
        private static MethodHandle function(String name) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().find(name).orElseThrow(() -> new AssertionError("no function " + name)),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
                    Linker.Option.captureCallState("errno"));
        }

        static int call(MethodHandle function, MemorySegment state, MemorySegment mask) {
            try {
                return (int) function.invokeExact(state, 0, MASK_BYTES, mask);
            } catch (Throwable e) {
                throw new AssertionError("a native call does not throw", e);
            }
        }
    }
}
