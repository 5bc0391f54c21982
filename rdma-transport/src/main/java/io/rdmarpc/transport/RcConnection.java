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
 * Two RC queue pairs, connected in two phases: {@link RcTransport#prepare} makes them and their endpoint, {@link #complete}
 * connects them to the peer's. Both block and belong on a control thread; READs are posted by the engine thread.
 *
 * <pre>
 *   requester   in the NIC's protection domain, where READs go to; grants the peer no right at all
 *   responder   in the protection domain of what is lent to this peer, which it may READ; posts nothing
 *
 *   own requester ---READ---> peer's responder
 *   peer's requester ---READ---> own responder
 *
 *   prepare: RESET -> INIT      (endpoint goes to the peer)      complete: INIT -> RTR -> RTS
 *   abort:   any   -> ERR       (outstanding READs end flushed)  close:    destroyed
 * </pre>
 */
public final class RcConnection implements AutoCloseable {

    private static final int RNR_RETRY = 6;
    private static final int MOST_READS = 0xFF;

    /** A peer that sends what could be seen in place, for it has no memory for that, does so for a while. */
    private static final int SKIPPED_VIEWS = 64;

    /** Readers that keep more than that are sent the rest. */
    private static final long MOST_VIEWED_BYTES = 64 << 20;

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
    /** READs that have not ended, waiting ones included. Engine thread only. */
    int reads;
    /** Where its READs wait. Engine thread only. */
    ReadQueue queue;

    // What findStalled compares. Engine thread only.
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
                ConnectionSettings.DEFAULTS.withRetries(config.ackTimeout(), config.retryCount(), RNR_RETRY);
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
     * Describes this end for the peer.
     *
     * @return the endpoint
     */
    public RcEndpoint endpoint() {
        QueuePairEndpoint asks = requesterConnector.endpoint();
        QueuePairEndpoint answers = responderConnector.endpoint();
        return new RcEndpoint(
                asks.gid(),
                asks.lid(),
                new RcEndpoint.Half(asks.qpn(), asks.psn()),
                new RcEndpoint.Half(answers.qpn(), answers.psn()),
                answers.maxReadsAsResponder());
    }

    /**
     * Connects to the peer's end. Blocks.
     *
     * @param peer its endpoint
     * @param mtu the path MTU both agreed on
     */
    public void complete(RcEndpoint peer, PathMtu mtu) {
        // The peer may READ as soon as it is connected, and this end answers then.
        responderConnector.complete(checked(peer, peer.requester(), mtu));
        requesterConnector.complete(checked(peer, peer.responder(), mtu));
    }

    /** What a peer sent may be anything. */
    private static QueuePairEndpoint checked(RcEndpoint peer, RcEndpoint.Half half, PathMtu mtu) {
        int reads = Math.clamp(peer.maxReads(), 1, MOST_READS);
        try {
            return new QueuePairEndpoint(peer.gid(), peer.lid(), half.qpn(), half.psn(), mtu, reads, reads);
        } catch (IllegalArgumentException e) {
            throw new RdmaVerbsException(
                    "ibv_modify_qp", "", Errno.EINVAL, "The peer's " + e.getMessage() + ": it is not one of rdma-rpc");
        }
    }

    /**
     * Assigns the connection to a peer. Engine thread, before its first READ.
     *
     * @param peersQueue where its READs wait; until then they wait where those of all unassigned connections do
     * @param stalled run once, on the engine thread, when its READs make no progress: see {@link RcTransport#findStalled}
     */
    public void assign(ReadQueue peersQueue, Runnable stalled) {
        queue = peersQueue;
        onStalled = stalled;
    }

    /** Reports, once, that its READs make no progress. */
    void stalled() {
        Runnable report = onStalled;
        onStalled = null;
        if (report != null) {
            report.run();
        }
    }

    /** Ends all outstanding READs: own ones complete as flushed, those of the peer are not answered any more. Blocks. */
    public void abort() {
        try {
            responder.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        } finally {
            requester.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        }
    }

    /**
     * Tells whether a queue pair belongs to this connection. Any thread.
     *
     * @param queuePair any queue pair of the NIC
     * @return true for the requester and the responder
     */
    public boolean has(QueuePair queuePair) {
        return queuePair.number() == requester.number() || queuePair.number() == responder.number();
    }

    /**
     * Tells whether it was connected.
     *
     * @return true after {@link #complete}
     */
    public boolean isConnected() {
        return requesterConnector.isConnected();
    }

    QueuePair requester() {
        return requester;
    }

    /** Notes that a view has come to nothing. */
    void skipViews() {
        viewsToSkip = SKIPPED_VIEWS;
    }

    /** Tells whether to ask for a view. One is always allowed; readers that keep many shall not hold all of the peer's memory. */
    boolean mayView(int bytes) {
        if (viewsToSkip > 0) {
            viewsToSkip--;
            return false;
        }
        long open = viewedBytes.get();
        return open == 0 || open + bytes <= MOST_VIEWED_BYTES;
    }

    /** Asks for a view, which is counted until it is closed; null when the memory cannot be viewed from here, or not now. */
    @Nullable
    RemoteView postView(long wrId, long remoteAddress, int rkey, int bytes) {
        PeerMemoryView view = ipc.postView(wrId, remoteAddress, rkey, bytes);
        return view == null ? null : new RemoteView(view, bytes, viewedBytes);
    }

    boolean hasRoom() {
        return sendsInFlight < sendDepth;
    }

    /** Destroys the queue pairs; READs outstanding then never complete, so {@link #abort} and drain first. Blocks. */
    @Override
    public void close() {
        try {
            responder.close();
        } finally {
            requester.close();
        }
    }
}
