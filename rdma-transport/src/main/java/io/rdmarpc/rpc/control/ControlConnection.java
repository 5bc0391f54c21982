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
 * One control connection, either end: the handshake, heartbeats, and the sessions it carries. Whatever arrives, nothing is
 * thrown; what breaks the protocol ends the connection, and that ends its sessions. Control thread only.
 *
 * <pre>
 *   HANDSHAKE -> LIVE -> ENDED          in each state there is a time by which it is left:
 *       |                  ^              HANDSHAKE  the connect time-out, however the peer divides its bytes
 *       +------------------+              LIVE       silence of the peer; no session for a while
 * </pre>
 */
abstract class ControlConnection implements ControlWire.Owner {

    /** Where the conversation stands. */
    enum State {
        HANDSHAKE,
        LIVE,
        ENDED
    }

    private static final int HEARTBEATS_PER_SILENCE = 3;
    /** A peer may not make this side send heartbeats in a tight loop. */
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

    /** Begins the handshake, which must end in time. */
    final void start(ControlWire newWire, Duration handshakeLimit) {
        wire = newWire;
        unfinished = context.unfinished.share(PendingHandshakes.sourceOf(peerAddress()));
        timer = context.loop.after(
                handshakeLimit, () -> fail("the handshake took longer than " + handshakeLimit.toMillis() + " ms"));
    }

    final ControlWire wire() {
        ControlWire known = wire;
        if (known == null) {
            throw new IllegalStateException("a connection has a wire when it starts");
        }
        return known;
    }

    final State state() {
        return state;
    }

    final boolean isLive() {
        return state == State.LIVE;
    }

    /** Tells whether the handshake was ever done. */
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
     * Names the peer, once the handshake is done. A peer that TLS has identified is the same one from whichever address; others are
     * as many as there are addresses. IPv6 addresses of one network are different peers: hosts often share one.
     */
    final Object peerKey() {
        Principal principal = identity().principal();
        return principal == null ? peerAddress() : principal;
    }

    /** Tells whether the peer has said anything at all. */
    final boolean hasReceivedData() {
        return receivedData;
    }

    /** Who the peer is, once the handshake is done: one object, so that decisions about it can be remembered. */
    final PeerIdentity identity() {
        PeerIdentity known = identity;
        if (known == null) {
            known = PeerIdentity.of(peer(), wire().peerCertificates());
            identity = known;
        }
        return known;
    }

    /** The GID to talk to this peer from. */
    final GidEntry gid() {
        GidEntry known = gid;
        if (known == null) {
            known = context.firstParts().nic().gidFor(wire().localAddress());
            gid = known;
        }
        return known;
    }

    /** The GID of another NIC than the first one to talk to this peer from. */
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
            fail("the peer of this connection failed inside");
        }
    }

    private void requireRoom() throws IOException {
        if (!isWithinLimit()) {
            throw new IOException("too many bytes of unfinished messages of this address wait here");
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
                ended("the peer said goodbye: " + reason);
            }
            default -> onLive(message);
        }
    }

    /** Handles a message before the connection lives. */
    abstract void onHandshake(ControlMessage message) throws IOException;

    /** Handles a message of a live connection. */
    abstract void onLive(ControlMessage message) throws IOException;

    /** The last message of this side after the peer broke the protocol or a time was over. */
    abstract ControlMessage finalMessage(String reason);

    /** Called once, when the connection has ended, before its sessions are told. */
    abstract void onEnded(String reason);

    /** The handshake is done. */
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

    /** Often enough for both. */
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
            ended("the peer does not read, and too many bytes wait for its address");
        }
    }

    /** Sends without looking at the limit of what waits: the last message, which nothing follows. */
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

    /** Counts the sessions that own an entry of a receive ring, or want one. */
    final int sessionsOn(ReceiveBudget ring) {
        return (int) sessions.values().stream()
                .filter(session -> session.budget() == ring)
                .count();
    }

    final List<ControlSession> sessions() {
        return List.copyOf(sessions.values());
    }

    /** Ends it from this side with a goodbye. A second call does nothing. */
    final void end(String reason) {
        orderly = true;
        write(new ControlMessage.Goodbye(reason));
        ended(reason);
    }

    /** Ends it because of what the peer did or did not do. */
    final void fail(String reason) {
        write(finalMessage(reason));
        ended(reason);
    }

    @Override
    public final void onWireEnd(String reason) {
        ended(reason);
    }

    /** Whatever ended it: the wire is closed, the sessions end. */
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
            // Without sessions nobody misses it.
            context.peerLog.log(
                    sessions.isEmpty() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                    "lost",
                    peerHost(),
                    "the connection with " + peer() + " was lost, and " + sessions.size() + " session(s) with it: "
                            + reason);
        }
        List<ControlSession> ending = new ArrayList<>(sessions.values());
        sessions.clear();
        ending.forEach(session -> session.tearDown(reason));
    }
}
