package io.rdmarpc.service;

import org.jspecify.annotations.Nullable;

/** The call that a thread answers. */
public final class CurrentCall {

    private static final ScopedValue<ServerCallContext> CALL = ScopedValue.newInstance();

    private CurrentCall() {}

    static @Nullable ServerCallContext get() {
        return CALL.isBound() ? CALL.get() : null;
    }

    /**
     * Runs something for a call.
     *
     * @param <R> what it returns
     * @param <X> what it throws
     * @param call the one that {@link ServerCallContext#current()} gives meanwhile
     * @param work runs here and now
     * @return what the work returns
     * @throws X what the work throws
     */
    public static <R extends @Nullable Object, X extends Throwable> R with(
            ServerCallContext call, ScopedValue.CallableOp<R, X> work) throws X {
        return ScopedValue.where(CALL, call).call(work);
    }
}
