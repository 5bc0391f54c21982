package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.limit.ReceiveBudget;
import io.rdmarpc.rpc.stats.FallbackStatistics;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The second way to peers, and to whom it is taken. Control thread, unless said.
 *
 * <pre>
 *   client: first way -> refused, or its NIC fails, or nothing comes back -> second way, and at once for a while
 *   server: the client asks for the second way, or the first one cannot reach it -> second way
 * </pre>
 */
final class Fallback {

    /** So long the first way to a server is not tried again after it has failed. */
    static final Duration AVOIDED = Duration.ofSeconds(60);

    private final @Nullable FallbackParts parts;
    private final @Nullable ControlEngine engine;
    private final Map<InetSocketAddress, Long> avoided = new HashMap<>();
    private final LongAdder called = new LongAdder();
    private final LongAdder served = new LongAdder();

    Fallback(@Nullable FallbackParts parts) {
        this.parts = parts;
        this.engine = parts == null
                ? null
                : new ControlEngine(
                        parts.parts(), new ReceiveBudget(parts.parts().ud().receiveDepth()));
    }

    /** The second way to servers; null when it is not to be taken. Any thread. */
    @Nullable
    ControlEngine forClients() {
        return parts != null && parts.forClients() ? engine : null;
    }

    /** The second way of clients to here; null when there is none. Any thread. */
    @Nullable
    ControlEngine forServer() {
        return parts != null && parts.forServer() ? engine : null;
    }

    boolean isTakenBy(ControlSession session) {
        return parts != null && session.parts.equals(parts.parts());
    }

    /** The providers a server names, the first way's first. */
    String providers(String first) {
        ControlEngine second = forServer();
        return second == null ? first : first + "," + second.parts().nic().providerName();
    }

    /** Tells whether a server that names these can be reached by it. */
    boolean fits(String providers) {
        ControlEngine second = forClients();
        return second != null
                && ("," + providers + ",").contains("," + second.parts().nic().providerName() + ",");
    }

    /** Forgets those whose time is over: addresses come and go with discovery. */
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

    /** Counts servers, for tests: what comes must go. */
    int avoided() {
        return avoided.size();
    }

    void countCalled() {
        called.increment();
    }

    void countServed() {
        served.increment();
    }

    /** Any thread. */
    FallbackStatistics statistics() {
        return new FallbackStatistics(called.sum(), served.sum());
    }
}
