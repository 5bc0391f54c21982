package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.control.limit.AccessErrors;
import io.rdmarpc.rpc.control.limit.PeerAccounts;
import io.rdmarpc.rpc.control.limit.PendingHandshakes;
import io.rdmarpc.rpc.control.limit.ReceiveBudget;
import io.rdmarpc.rpc.control.limit.RejectionCounters;
import io.rdmarpc.rpc.control.limit.UnfinishedBytes;
import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.control.net.RateLimitedLog;
import io.rdmarpc.rpc.wire.Id128;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The state that all control connections of a runtime share. */
final class ControlContext {

    private static final int TOKENS_PER_SESSION = 4;

    final ControlLoop loop;
    /** The log for events that peers can repeat. */
    final RateLimitedLog peerLog;

    final RpcConfig config;
    final Id128 process = Id128.random();
    final TokenTable tokens;
    final PeerAccounts peers;
    final PendingHandshakes handshakes;
    final UnfinishedBytes unfinished = UnfinishedBytes.ofHeap();
    final PortMonitor port;
    private final List<ControlEngine> engines;
    private final AtomicInteger nextEngine = new AtomicInteger();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong sessionNumbers = new AtomicLong();
    private final Set<ControlSession> sessions = ConcurrentHashMap.newKeySet();
    final RejectionCounters rejections = new RejectionCounters();
    final AccessErrors accessErrors = new AccessErrors();

    final Fallback fallback;

    ControlContext(ControlLoop loop, List<ControlParts> engines) {
        this(loop, engines, null);
    }

    ControlContext(ControlLoop loop, List<ControlParts> engines, @Nullable FallbackParts fallbackParts) {
        this.fallback = new Fallback(fallbackParts);
        this.loop = loop;
        this.peerLog = new RateLimitedLog(ControlLoop.LOG, loop::now);
        this.engines = engines.stream()
                .map(parts ->
                        new ControlEngine(parts, new ReceiveBudget(parts.ud().receiveDepth())))
                .toList();
        ControlParts first = engines.getFirst();
        this.config = first.config();
        this.tokens = new TokenTable(
                loop,
                config.control().sessionTokenLifetime(),
                TOKENS_PER_SESSION * config.control().maxSessions());
        this.peers = new PeerAccounts(config.control(), first.memory());
        this.handshakes = new PendingHandshakes(config.control().maxPendingHandshakes());
        this.port = new PortMonitor(this, first.nic());
    }

    /** Returns the next engine in a round-robin. */
    ControlEngine nextEngine() {
        return engines.get(nextEngineNumber());
    }

    /** Returns the number of the next engine in a round-robin. */
    int nextEngineNumber() {
        return Math.floorMod(nextEngine.getAndIncrement(), engines.size());
    }

    ControlEngine engine(int number) {
        return engines.get(number);
    }

    int engineCount() {
        return engines.size();
    }

    ControlParts firstParts() {
        return engines.getFirst().parts();
    }

    boolean isDatagramQueuePair(int number) {
        return engines.stream()
                .map(ControlEngine::parts)
                .anyMatch(parts -> parts.ud().endpoint(parts.nic().gid()).qpn() == number);
    }

    long nextSessionNumber() {
        return sessionNumbers.incrementAndGet();
    }

    void add(ControlSession session) {
        sessions.add(session);
    }

    void remove(ControlSession session) {
        sessions.remove(session);
    }

    /** Reports an exception of this side's code on a message. */
    void failed(RuntimeException e) {
        failures.incrementAndGet();
        ControlLoop.LOG.log(
                System.Logger.Level.ERROR, "the control thread failed to handle a message: its connection ends", e);
    }

    long failures() {
        return failures.get();
    }

    /** Returns every session that still holds resources. Thread-safe. */
    Set<ControlSession> sessions() {
        return sessions;
    }

    /** Returns why no session can be opened now, null if sessions can be opened. */
    @Nullable
    String deviceProblem() {
        return port.problem();
    }
}
