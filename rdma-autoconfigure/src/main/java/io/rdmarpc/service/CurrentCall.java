package io.rdmarpc.service;

import org.jspecify.annotations.Nullable;

/** The call that the current thread serves. */
public final class CurrentCall {

    private static final ScopedValue<ServerCallContext> CALL = ScopedValue.newInstance();

    /** Whether this process has served a call. Processes that only make calls thus need no lookup. */
    private static boolean anyBound;

    private CurrentCall() {}

    static @Nullable ServerCallContext get() {
        return anyBound && CALL.isBound() ? CALL.get() : null;
    }

    /**
     * Runs work for a call.
     *
     * @param call the call that {@link ServerCallContext#current()} returns meanwhile
     * @param work runs at once on the calling thread
     * @return the result of the work
     * @throws Throwable the exception of the work
     */
    public static @Nullable Object with(ServerCallContext call, CallContext.Next work) throws Throwable {
        if (!anyBound) {
            anyBound = true;
        }
        return ScopedValue.where(CALL, call).<@Nullable Object, Throwable>call(work::proceed);
    }
}
