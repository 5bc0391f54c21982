package io.rdmarpc.rpc.runtime.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Yields the core to other kernel threads: {@code int sched_yield(void)}, see its manual page. For platform threads
 * {@link Thread#yield} does the same; for a virtual thread that method only yields the carrier to other virtual
 * threads.
 */
public final class CoreYield {

    private CoreYield() {}

    /**
     * Returns whether the call is available.
     *
     * @return false on systems other than Linux, and without native access
     */
    public static boolean isAvailable() {
        return CpuAffinity.obstacle().isEmpty();
    }

    /** Yields the core. Thread-safe. Requires that it {@linkplain #isAvailable is available}. */
    public static void offer() {
        try {
            int _ = (int) Calls.SCHED_YIELD.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError("a native call does not throw", e);
        }
    }

    /** Looked up on first use: the function does not exist on other systems. */
    private static final class Calls {

        static final MethodHandle SCHED_YIELD = function("sched_yield");

        @SuppressWarnings("restricted") // The signature is from the manual page.
        private static MethodHandle function(String name) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().find(name).orElseThrow(() -> new AssertionError("no function " + name)),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT));
        }
    }
}
