package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.LibC;
import java.lang.invoke.MethodHandles;
import java.util.List;

/** The functions of C that the software RNIC calls, all together. */
public final class NativeFunctions {

    private static final List<Class<?>> CALLERS = List.of(
            LibC.class,
            LibSocket.class,
            MemFd.class,
            DescriptorSocket.class,
            Epoll.class,
            TimerFd.class,
            EventFd.class);

    private NativeFunctions() {}

    /** Links those that are not linked yet, which is otherwise done when a class is used first. Any thread. */
    public static void link() {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        for (Class<?> caller : CALLERS) {
            try {
                lookup.ensureInitialized(caller);
            } catch (IllegalAccessException e) {
                throw new AssertionError("all of them can be seen from here", e);
            }
        }
    }
}
