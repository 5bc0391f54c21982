package io.rdmarpc.rpc.runtime.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Offers the core to other threads of the kernel: {@code int sched_yield(void)}, see its manual page. To platform threads
 * {@link Thread#yield} does just that; to a virtual thread it only lets other virtual threads have the carrier.
 */
public final class CoreYield {

    private CoreYield() {}

    /**
     * Tells whether it can be called here.
     *
     * @return false on another system than Linux, and without native access
     */
    public static boolean isAvailable() {
        return CpuAffinity.obstacle().isEmpty();
    }

    /** Offers it. Any thread, where it {@linkplain #isAvailable is available}. */
    public static void offer() {
        try {
            int _ = (int) Calls.SCHED_YIELD.invokeExact();
        } catch (Throwable e) {
            throw new AssertionError("a native call throws nothing", e);
        }
    }

    /** Looked up when first used: elsewhere there is no such function. */
    private static final class Calls {

        static final MethodHandle SCHED_YIELD = function("sched_yield");

        @SuppressWarnings("restricted") // The signature is that of the manual page.
        private static MethodHandle function(String name) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(
                    linker.defaultLookup().find(name).orElseThrow(() -> new AssertionError("no function " + name)),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT));
        }
    }
}
