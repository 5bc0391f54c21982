package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.control.limit.PendingHandshakes;
import io.rdmarpc.rpc.control.limit.ReceiveBudget;
import io.rdmarpc.rpc.control.limit.UnfinishedBytes;
import io.rdmarpc.rpc.control.net.ControlTimer;
import io.rdmarpc.rpc.control.net.ControlWire;
import io.rdmarpc.rpc.control.net.FrameAssembler;
import io.rdmarpc.rpc.wire.ControlCodec;
import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One control connection, at either end: the handshake, heartbeats, and its sessions. Its methods never throw on a
 * peer's messages. A message that violates the protocol ends the connection and its sessions. Control thread only.
 *
 * <pre>
 *   HANDSHAKE -> LIVE -> ENDED          each state has a time limit:
 *       |                  ^              HANDSHAKE  the connect timeout, however the peer splits its bytes
 *       +------------------+              LIVE       silence of the peer; a period without sessions
 * </pre>
 */
abstract class ControlConnection implements ControlWire.Owner {

    /** The state of the connection. */
    enum State {
        HANDSHAKE,
        LIVE,
        ENDED
    }

    private static final int HEARTBEATS_PER_SILENCE = 3;
    /** Lower limit, so that a peer cannot make this side send heartbeats in a tight loop. */
    private static final int MIN_PEER_TIMEOUT_MILLIS = 100;

    final ControlContext context;
    private final FrameAssembler frames = new FrameAssembler();
    private final Map<Integer, ControlSession> sessions = new HashMap<>();
    private final Duration idleLimit;
    private State state = State.HANDSHAKE;
    private @Nullable ControlWire wire;
    private UnfinishedBytes.@Nullable Share unfinished;
    private @Nullable ControlTimer timer;
    private @Nullable PeerIdentity identity;
    private @Nullable GidEntry gid;
    private @Nullable PathMtu mtu;
    private boolean lived;
    private boolean receivedData;
    private boolean orderly;
    private long receivedAt;
    private long heartbeatAt;
    private long emptySince;
    private long heartbeatNanos;

    ControlConnection(ControlContext context, Duration idleLimit) {
        this.context = context;
        this.idleLimit = idleLimit;
    }

    /** Starts the handshake and its time limit. */
    final void start(ControlWire newWire, Duration handshakeLimit) {
        wire = newWire;
        unfinished = context.unfinished.share(PendingHandshakes.sourceOf(peerAddress()));
        timer = context.loop.after(
                handshakeLimit, () -> fail("the handshake took longer than " + handshakeLimit.toMillis() + " ms"));
    }

    final ControlWire wire() {
        ControlWire known = wire;
        if (known == null) {
            throw new IllegalStateException("the connection is not started: it has no wire yet");
        }
        return known;
    }

    final State state() {
        return state;
    }

    final boolean isLive() {
        return state == State.LIVE;
    }

    /** Returns whether the handshake was ever complete. */
    final boolean wasLive() {
        return lived;
    }

    final String peer() {
        InetSocketAddress remote = wire().remoteAddress();
        return remote.getAddress().getHostAddress() + ":" + remote.getPort();
    }

    final String peerHost() {
        return peerAddress().getHostAddress();
    }

    public final InetAddress peerAddress() {
        return wire().remoteAddress().getAddress();
    }

    /**
     * Returns the key by which limits identify the peer; defined after the handshake. A peer that TLS has identified
     * has one key for all its addresses. Without TLS each address is a peer. IPv6 addresses of one network are
     * different peers, because hosts often share one.
     */
    final Object peerKey() {
        Principal principal = identity().principal();
        return principal == null ? peerAddress() : principal;
    }

    /** Returns whether the peer has sent any byte. */
    final boolean hasReceivedData() {
        return receivedData;
    }

    /**
     * Returns the peer's identity, after the handshake. It is one object, so that handlers can cache decisions about
     * it.
     */
    final PeerIdentity identity() {
        PeerIdentity known = identity;
        if (known == null) {
            known = PeerIdentity.of(peer(), wire().peerCertificates());
            identity = known;
        }
        return known;
    }

    /** Returns the local GID for this peer. */
    final GidEntry gid() {
        GidEntry known = gid;
        if (known == null) {
            known = context.firstParts().nic().gidFor(wire().localAddress());
            gid = known;
        }
        return known;
    }

    /** Returns the local GID for this peer on another NIC. */
    final GidEntry gidOf(NicContext nic) {
        return nic.equals(context.firstParts().nic()) ? gid() : nic.gidFor(wire().localAddress());
    }

    final PathMtu mtuOf(NicContext nic) {
        return nic.equals(context.firstParts().nic()) ? mtu() : nic.pathMtu(gidOf(nic));
    }

    final PathMtu mtu() {
        PathMtu known = mtu;
        if (known == null) {
            known = context.firstParts().nic().pathMtu(gid());
            mtu = known;
        }
        return known;
    }

    @Override
    public final void onBytes(ByteBuffer bytes) {
        receivedAt = context.loop.now();
        receivedData = true;
        try {
            while (state != State.ENDED) {
                byte[] frame = frames.next(bytes);
                if (frame == null) {
                    requireRoom();
                    return;
                }
                onMessage(ControlCodec.decode(frame));
            }
        } catch (IOException e) {
            fail(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            context.failed(e);
            fail("the peer of this connection had an internal failure: see its log");
        }
    }

    private void requireRoom() throws IOException {
        if (!isWithinLimit()) {
            throw new IOException("too many bytes of unfinished messages from this address are stored here");
        }
    }

    private boolean isWithinLimit() {
        UnfinishedBytes.Share share = unfinished;
        // Sending may have ended the connection.
        return state == State.ENDED || share == null || share.resize(frames.keptBytes() + wire().waitingBytes());
    }

    private void onMessage(ControlMessage message) throws IOException {
        if (state == State.HANDSHAKE) {
            onHandshake(message);
            return;
        }
        switch (message) {
            case ControlMessage.Heartbeat() -> {}
            case ControlMessage.Goodbye(String reason) -> {
                orderly = true;
                ended("the peer closed the connection: " + reason);
            }
            default -> onLive(message);
        }
    }

    /** Returns the protocol version that both sides use; defined after the handshake. */
    abstract int protocolVersion();

    /** Handles a message during the handshake. */
    abstract void onHandshake(ControlMessage message) throws IOException;

    /** Handles a message of a live connection. */
    abstract void onLive(ControlMessage message) throws IOException;

    /** Returns the last message of this side, after the peer has violated the protocol or a time limit has passed. */
    abstract ControlMessage finalMessage(String reason);

    /** Called once, when the connection has ended, before its sessions end. */
    abstract void onEnded(String reason);

    /** Enters the LIVE state after the handshake. */
    final void live(int peerTimeoutMillis) {
        state = State.LIVE;
        lived = true;
        long now = context.loop.now();
        receivedAt = now;
        emptySince = now;
        heartbeatNanos = heartbeatIntervalNanos(peerTimeoutMillis);
        heartbeatAt = now + heartbeatNanos;
        stopTimer();
        scheduleTick();
    }

    /** Returns an interval that is short enough for the timeouts of both sides. */
    private long heartbeatIntervalNanos(int peerTimeoutMillis) {
        long theirs = Duration.ofMillis(Math.max(MIN_PEER_TIMEOUT_MILLIS, peerTimeoutMillis))
                        .toNanos()
                / HEARTBEATS_PER_SILENCE;
        return Math.min(context.config.heartbeat().interval().toNanos(), theirs);
    }

    private void scheduleTick() {
        long silence = receivedAt + context.config.heartbeat().timeout().toNanos();
        long due = silence - heartbeatAt < 0 ? silence : heartbeatAt;
        timer = context.loop.at(due, this::tick);
    }

    private void stopCount() {
        UnfinishedBytes.Share share = unfinished;
        if (share != null) {
            share.close();
        }
    }

    private void stopTimer() {
        ControlTimer running = timer;
        if (running != null) {
            running.cancel();
        }
    }

    private void tick() {
        long now = context.loop.now();
        if (now - receivedAt >= context.config.heartbeat().timeout().toNanos()) {
            fail("no heartbeat for " + context.config.heartbeat().timeout().toMillis() + " ms");
            return;
        }
        if (sessions.isEmpty() && now - emptySince >= idleLimit.toNanos()) {
            end("no session on this connection for " + idleLimit.toMillis() + " ms");
            return;
        }
        if (now - heartbeatAt >= 0) {
            send(new ControlMessage.Heartbeat());
            heartbeatAt = now + heartbeatNanos;
        }
        if (state == State.LIVE) {
            scheduleTick();
        }
    }

    final void send(ControlMessage message) {
        write(message);
        if (!isWithinLimit()) {
            ended("the peer does not read, and too many bytes for its address wait to be sent");
        }
    }

    /** Sends a message, even if too many bytes already wait. For the last message of a connection. */
    final void write(ControlMessage message) {
        if (state != State.ENDED) {
            wire().send(ByteBuffer.wrap(ControlCodec.encode(message)));
        }
    }

    final void add(ControlSession session) {
        sessions.put(session.link(), session);
    }

    final void remove(ControlSession session) {
        sessions.remove(session.link(), session);
        emptySince = context.loop.now();
    }

    @Nullable
    final ControlSession session(int link) {
        return sessions.get(link);
    }

    /** Counts the sessions that own an entry of a receive ring or request one. */
    final int sessionsOn(ReceiveBudget ring) {
        return (int) sessions.values().stream()
                .filter(session -> session.budget() == ring)
                .count();
    }

    final List<ControlSession> sessions() {
        return List.copyOf(sessions.values());
    }

    /** Ends the connection with a GOODBYE. A second call does nothing. */
    final void end(String reason) {
        orderly = true;
        write(new ControlMessage.Goodbye(reason));
        ended(reason);
    }

    /** Ends the connection because the peer violated the protocol or a time limit. */
    final void fail(String reason) {
        write(finalMessage(reason));
        ended(reason);
    }

    @Override
    public final void onWireEnd(String reason) {
        ended(reason);
    }

    /** Ends the connection for any reason: closes the wire and ends the sessions. */
    final void ended(String reason) {
        if (state == State.ENDED) {
            return;
        }
        state = State.ENDED;
        stopTimer();
        wire().close();
        frames.drop();
        stopCount();
        onEnded(reason);
        if (lived && !orderly) {
            // A lost connection without sessions affects no calls.
            context.peerLog.log(
                    sessions.isEmpty() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                    "lost",
                    peerHost(),
                    "the connection with " + peer() + " was lost, along with " + sessions.size() + " session(s): "
                            + reason);
        }
        List<ControlSession> ending = new ArrayList<>(sessions.values());
        sessions.clear();
        ending.forEach(session -> session.tearDown(reason));
    }
}
