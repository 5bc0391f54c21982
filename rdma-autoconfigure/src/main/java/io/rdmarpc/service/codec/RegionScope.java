package io.rdmarpc.service.codec;

import io.rdmarpc.rpc.RpcSession;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The session that a message with regions in it goes over, while it is written or read. */
public final class RegionScope {

    private static final ScopedValue<RpcSession> SESSION = ScopedValue.newInstance();

    private RegionScope() {}

    static <T extends @Nullable Object> T over(RpcSession session, Supplier<T> work) {
        return ScopedValue.where(SESSION, session).<T, RuntimeException>call(work::get);
    }

    /**
     * Returns the session of the message that this thread writes or reads.
     *
     * @return null for a message without regions
     */
    public static @Nullable RpcSession session() {
        return SESSION.isBound() ? SESSION.get() : null;
    }
}
