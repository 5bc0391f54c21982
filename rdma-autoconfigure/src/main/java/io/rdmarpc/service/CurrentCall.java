package io.rdmarpc.service;

import org.jspecify.annotations.Nullable;

/** The call that a thread answers. */
public final class CurrentCall {

    private static final ScopedValue<ServerCallContext> CALL = ScopedValue.newInstance();

    /** Processes that only call, where each call would look through what is bound, never have any. */
    private static boolean anyBound;

    private CurrentCall() {}

    static @Nullable ServerCallContext get() {
        return anyBound && CALL.isBound() ? CALL.get() : null;
    }

    /**
     * Runs something for a call.
     *
     * @param call the one that {@link ServerCallContext#current()} gives meanwhile
     * @param work runs here and now
     * @return what the work returns
     * @throws Throwable what the work throws
     */
    public static @Nullable Object with(ServerCallContext call, CallContext.Next work) throws Throwable {
        if (!anyBound) {
            anyBound = true;
        }
        return ScopedValue.where(CALL, call).<@Nullable Object, Throwable>call(work::proceed);
    }
}
