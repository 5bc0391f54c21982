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

/** What all control connections of a runtime share. */
final class ControlContext {

    private static final int TOKENS_PER_SESSION = 4;

    final ControlLoop loop;
    /** What peers can make this side say again and again. */
    final RateLimitedLog peerLog;

    final RpcConfig config;
    final Id128 process = Id128.random();
    final TokenTable tokens;
    final PeerAccounts peers;
    final PendingHandshakes handshakes;
    final UnfinishedBytes unfinished = UnfinishedBytes.ofHeap();
    final PortMonitor port;
    private final List<ControlEngine> engines;
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong sessionNumbers = new AtomicLong();
    private final Set<ControlSession> sessions = ConcurrentHashMap.newKeySet();
    final RejectionCounters rejections = new RejectionCounters();
    final AccessErrors accessErrors = new AccessErrors();

    final Fallback fallback;

    ControlContext(ControlLoop loop, List<ControlParts> engines) {
        this(loop, engines, null);
    }

    ControlContext(ControlLoop loop, List<ControlParts> engines, @Nullable FallbackParts second) {
        this.fallback = new Fallback(second);
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
                config.control().tokenLifetime(),
                TOKENS_PER_SESSION * config.control().maxSessions());
        this.peers = new PeerAccounts(config.control(), first.memory());
        this.handshakes = new PendingHandshakes(config.control().maxPendingHandshakes());
        this.port = new PortMonitor(this, first.nic());
    }

    /** Sessions spread over the engines in turn. */
    ControlEngine nextEngine() {
        return engines.get(Math.floorMod(turns.getAndIncrement(), engines.size()));
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

    /** A message made the code throw what it should not. */
    void failed(RuntimeException e) {
        failures.incrementAndGet();
        ControlLoop.LOG.log(System.Logger.Level.ERROR, "the control channel failed on a message", e);
    }

    long failures() {
        return failures.get();
    }

    /** Every session that still holds something. Any thread. */
    Set<ControlSession> sessions() {
        return sessions;
    }

    /** Says why no session can be opened now, null when one can. */
    @Nullable
    String deviceProblem() {
        return port.problem();
    }
}
