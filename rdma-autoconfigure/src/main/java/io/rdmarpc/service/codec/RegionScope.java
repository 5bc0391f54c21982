package io.rdmarpc.service.codec;

import io.rdmarpc.rpc.RpcSession;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The session of a message with regions, while this thread encodes or decodes the message. */
public final class RegionScope {

    private static final ScopedValue<RpcSession> SESSION = ScopedValue.newInstance();

    private RegionScope() {}

    static <T extends @Nullable Object> T over(RpcSession session, Supplier<T> work) {
        return ScopedValue.where(SESSION, session).<T, RuntimeException>call(work::get);
    }

    /**
     * Returns the session of the message that this thread encodes or decodes.
     *
     * @return null if there is no message with regions
     */
    public static @Nullable RpcSession session() {
        return SESSION.isBound() ? SESSION.get() : null;
    }
}
