package io.rdmarpc.transport;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.connect.QueuePairEndpoint;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ipc.IpcQueuePair;
import io.rdmarpc.verbs.ipc.PeerMemoryView;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Two RC queue pairs, connected in two phases. {@link RcTransport#prepare} creates them and their endpoint, and {@link
 * #complete} connects them to the peer's. Both phases block and run on a control thread. The engine thread posts the
 * READs.
 *
 * <pre>
 *   requester   in the NIC's protection domain, which has the targets of READs; grants the peer no right
 *   responder   in the protection domain of the memory lent to this peer, which it may READ; posts nothing
 *
 *   local requester ---READ---> peer's responder
 *   peer's requester ---READ---> local responder
 *
 *   prepare: RESET -> INIT      (endpoint is sent to the peer)      complete: INIT -> RTR -> RTS
 *   abort:   any   -> ERR       (outstanding READs end flushed)  close:    destroyed
 * </pre>
 */
public final class RcConnection implements AutoCloseable {

    private static final int RNR_RETRY = 6;
    private static final int MAX_READS = 0xFF;

    /** Number of large messages that are READ without requesting a view, after a requested view had no memory. */
    private static final int SKIPPED_VIEWS = 64;

    /** Maximum number of bytes that readers may keep in views; further messages are READ. */
    private static final long MAX_VIEWED_BYTES = 64 << 20;

    private final QueuePair requester;
    private final IpcQueuePair ipc;
    private final QueuePair responder;
    private final QueuePairConnector requesterConnector;
    private final QueuePairConnector responderConnector;
    private final int sendDepth;
    // Engine thread only.
    int sendsInFlight;
    private final AtomicLong viewedBytes = new AtomicLong();
    // Engine thread only.
    private int viewsToSkip;
    /** READs that have not ended, including waiting ones. Engine thread only. */
    int reads;
    /** The queue in which its READs wait. Engine thread only. */
    ReadQueue queue;

    // The state that findStalled compares. Engine thread only.
    int completed;
    int completedBefore;
    long unchangedSinceNanos;
    boolean isWatched;
    private @Nullable Runnable onStalled;

    RcConnection(
            NicContext nic,
            RcConfig config,
            GidEntry from,
            QueuePair requester,
            QueuePair responder,
            int maxReads,
            ReadQueue queue) {
        this.queue = queue;
        this.requester = requester;
        this.ipc = IpcQueuePair.of(requester);
        this.responder = responder;
        this.sendDepth = Math.min(config.sendDepth(), requester.capabilities().maxSendWr());
        ConnectionSettings settings =
                ConnectionSettings.DEFAULTS.withRetries(config.ackTimeoutExponent(), config.retryCount(), RNR_RETRY);
        this.requesterConnector = QueuePairConnector.prepare(
                requester,
                nic.context(),
                nic.portNumber(),
                from,
                settings.withAccess().withReads(maxReads, 0));
        this.responderConnector = QueuePairConnector.prepare(
                responder,
                nic.context(),
                nic.portNumber(),
                from,
                settings.withAccess(AccessFlag.REMOTE_READ).withReads(0, maxReads));
    }

    /**
     * Returns this end's description for the peer.
     *
     * @return the endpoint
     */
    public RcEndpoint endpoint() {
        QueuePairEndpoint requesterEnd = requesterConnector.endpoint();
        QueuePairEndpoint responderEnd = responderConnector.endpoint();
        return new RcEndpoint(
                requesterEnd.gid(),
                requesterEnd.lid(),
                new RcEndpoint.Half(requesterEnd.qpn(), requesterEnd.psn()),
                new RcEndpoint.Half(responderEnd.qpn(), responderEnd.psn()),
                responderEnd.maxReadsAsResponder());
    }

    /**
     * Connects to the peer's end. Blocks.
     *
     * @param peer the peer's endpoint
     * @param mtu the path MTU that both peers agreed on
     */
    public void complete(RcEndpoint peer, PathMtu mtu) {
        // The peer may READ as soon as it is connected, so the responder has to be ready first.
        responderConnector.complete(checked(peer, peer.requester(), mtu));
        requesterConnector.complete(checked(peer, peer.responder(), mtu));
    }

    /** Validates the peer's endpoint, which may hold any values. */
    private static QueuePairEndpoint checked(RcEndpoint peer, RcEndpoint.Half half, PathMtu mtu) {
        int reads = Math.clamp(peer.maxReads(), 1, MAX_READS);
        try {
            return new QueuePairEndpoint(peer.gid(), peer.lid(), half.qpn(), half.psn(), mtu, reads, reads);
        } catch (IllegalArgumentException e) {
            throw new RdmaVerbsException(
                    "ibv_modify_qp",
                    "",
                    Errno.EINVAL,
                    "The peer's " + e.getMessage() + ". The peer does not follow the protocol of rdma-rpc");
        }
    }

    /**
     * Assigns the connection to the queue of a peer. Engine thread, before the first READ.
     *
     * @param peersQueue the queue in which its READs wait; until then they wait in the queue of all unassigned
     *     connections
     * @param stalled runs once, on the engine thread, if its READs make no progress: see {@link
     *     RcTransport#findStalled}
     */
    public void assign(ReadQueue peersQueue, Runnable stalled) {
        queue = peersQueue;
        onStalled = stalled;
    }

    /** Reports that its READs make no progress, once. */
    void stalled() {
        Runnable report = onStalled;
        onStalled = null;
        if (report != null) {
            report.run();
        }
    }

    /** Ends all outstanding READs: local ones complete as flushed, and the peer's are no longer served. Blocks. */
    public void abort() {
        try {
            responder.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        } finally {
            requester.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        }
    }

    /**
     * Returns whether a queue pair belongs to this connection. Thread-safe.
     *
     * @param queuePair any queue pair of the NIC
     * @return true for the requester and the responder
     */
    public boolean has(QueuePair queuePair) {
        return queuePair.number() == requester.number() || queuePair.number() == responder.number();
    }

    /**
     * Returns whether the connection was completed.
     *
     * @return true after {@link #complete}
     */
    public boolean isConnected() {
        return requesterConnector.isConnected();
    }

    QueuePair requester() {
        return requester;
    }

    /** Records that a requested view had no memory, so that the next large messages are READ. */
    void skipViews() {
        viewsToSkip = SKIPPED_VIEWS;
    }

    /**
     * Returns whether to request a view. One view is always allowed; a limit on the bytes of open views leaves the peer
     * memory that it can reuse.
     */
    boolean mayView(int bytes) {
        if (viewsToSkip > 0) {
            viewsToSkip--;
            return false;
        }
        long open = viewedBytes.get();
        return open == 0 || open + bytes <= MAX_VIEWED_BYTES;
    }

    /**
     * Requests a view, which counts against the limit until it is closed. Returns null if this process cannot view the
     * memory, or cannot do so now.
     */
    @Nullable
    RemoteView postView(long wrId, long remoteAddress, int rkey, int bytes) {
        PeerMemoryView view = ipc.postView(wrId, remoteAddress, rkey, bytes);
        return view == null ? null : new RemoteView(view, bytes, viewedBytes);
    }

    boolean hasRoom() {
        return sendsInFlight < sendDepth;
    }

    /**
     * Destroys the queue pairs. Outstanding READs then never complete, so the caller uses {@link #abort} and drains
     * them first. Blocks.
     */
    @Override
    public void close() {
        try {
            responder.close();
        } finally {
            requester.close();
        }
    }
}
