package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.control.limit.AccessErrors;
import io.rdmarpc.rpc.control.limit.PeerAccounts;
import io.rdmarpc.rpc.control.limit.PendingHandshakes;
import io.rdmarpc.rpc.control.limit.RejectionCounters;
import io.rdmarpc.rpc.control.limit.UnfinishedBytes;
import io.rdmarpc.rpc.control.net.ControlLoop;
import io.rdmarpc.rpc.control.net.RateLimitedLog;
import io.rdmarpc.rpc.wire.Id128;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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
    final EnginePlacement placement;
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
        this.placement = new EnginePlacement(engines);
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

    ControlParts firstParts() {
        return placement.engine(0).parts();
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
