package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.stats.FallbackStatistics;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The fallback path, and the servers that are reached over it. Control thread, unless stated.
 *
 * <pre>
 *   client: first path -> rejected, or its NIC fails, or no response -> fallback path; for 60 s also new sessions
 *   server: the client requests the fallback path, or the first path cannot reach it -> fallback path
 * </pre>
 */
final class Fallback {

    /** How long sessions avoid the first path to a server after a failure. */
    static final Duration AVOIDED = Duration.ofSeconds(60);

    private final @Nullable FallbackParts parts;
    private final @Nullable ControlEngine engine;
    private final Map<InetSocketAddress, Long> avoided = new HashMap<>();
    private final LongAdder called = new LongAdder();
    private final LongAdder served = new LongAdder();

    Fallback(@Nullable FallbackParts parts) {
        this.parts = parts;
        this.engine = parts == null ? null : new ControlEngine(parts.parts());
    }

    /** Returns the engine of the fallback path to servers; null if clients do not use it. Thread-safe. */
    @Nullable
    ControlEngine forClients() {
        return parts != null && parts.forClients() ? engine : null;
    }

    /** Returns the engine of the fallback path from clients; null without one. Thread-safe. */
    @Nullable
    ControlEngine forServer() {
        return parts != null && parts.forServer() ? engine : null;
    }

    boolean isUsedBy(ControlSession session) {
        return parts != null && session.parts.equals(parts.parts());
    }

    /** Returns the providers that a server announces, the first path's first. */
    String providers(String first) {
        ControlEngine fallbackEngine = forServer();
        return fallbackEngine == null
                ? first
                : first + "," + fallbackEngine.parts().nic().providerName();
    }

    /** Returns whether the fallback path reaches a server that announces these providers. */
    boolean fits(String providers) {
        ControlEngine fallbackEngine = forClients();
        return fallbackEngine != null
                && ("," + providers + ",")
                        .contains("," + fallbackEngine.parts().nic().providerName() + ",");
    }

    /** Avoids the first path to a server for a while. Removes expired entries, because discovery changes addresses. */
    void avoid(InetSocketAddress server, long now) {
        avoided.values().removeIf(until -> now - until >= 0);
        avoided.put(server, now + AVOIDED.toNanos());
    }

    boolean isAvoided(InetSocketAddress server, long now) {
        Long until = avoided.get(server);
        if (until != null && now - until >= 0) {
            avoided.remove(server);
            return false;
        }
        return until != null;
    }

    /** Returns the number of avoided servers, for tests of leaks. */
    int avoided() {
        return avoided.size();
    }

    void countCalled() {
        called.increment();
    }

    void countServed() {
        served.increment();
    }

    /** Thread-safe. */
    FallbackStatistics statistics() {
        return new FallbackStatistics(called.sum(), served.sum());
    }
}
