package io.rdmarpc.transport;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.ConnectionSettings;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.PathMtu;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairConnector;
import io.rdmarpc.verbs.QueuePairEndpoint;
import io.rdmarpc.verbs.QueuePairState;
import io.rdmarpc.verbs.RemoteView;
import io.rdmarpc.verbs.VerbsException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One RC queue pair, connected in two phases: {@link RcTransport#prepare} makes it and its endpoint, {@link #complete}
 * connects it to the peer's. Both block and belong on a control thread; READs are posted by the engine thread.
 *
 * <pre>
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

    private final QueuePair qp;
    private final QueuePairConnector connector;
    private final int sendDepth;
    // Engine thread only.
    int sendsInFlight;
    private final AtomicLong viewedBytes = new AtomicLong();
    // Engine thread only.
    private int viewsToSkip;
    /** READs that have not ended, waiting ones included. Engine thread only. */
    int reads;

    RcConnection(NicContext nic, RcConfig config, GidEntry from, QueuePair qp, int maxReads) {
        this.qp = qp;
        this.sendDepth = Math.min(config.sendDepth(), qp.capabilities().maxSendWr());
        // A peer may only READ, and only what is registered for it.
        this.connector = QueuePairConnector.prepare(
                qp,
                nic.context(),
                nic.portNumber(),
                from,
                ConnectionSettings.DEFAULTS
                        .withAccess(AccessFlag.REMOTE_READ)
                        .withReads(maxReads, maxReads)
                        .withRetries(config.ackTimeout(), config.retryCount(), RNR_RETRY));
    }

    /**
     * Describes this end for the peer.
     *
     * @return the endpoint
     */
    public RcEndpoint endpoint() {
        QueuePairEndpoint own = connector.endpoint();
        return new RcEndpoint(own.gid(), own.lid(), own.qpn(), own.psn(), own.maxReadsAsResponder());
    }

    /**
     * Connects to the peer's end. Blocks.
     *
     * @param peer its endpoint
     * @param mtu the path MTU both agreed on
     */
    public void complete(RcEndpoint peer, PathMtu mtu) {
        connector.complete(checked(peer, mtu));
    }

    /** What a peer sent may be anything. */
    private static QueuePairEndpoint checked(RcEndpoint peer, PathMtu mtu) {
        int reads = Math.clamp(peer.maxReads(), 1, MOST_READS);
        try {
            return new QueuePairEndpoint(peer.gid(), peer.lid(), peer.qpn(), peer.psn(), mtu, reads, reads);
        } catch (IllegalArgumentException e) {
            throw new VerbsException(
                    "ibv_modify_qp", "", Errno.EINVAL, "The peer's " + e.getMessage() + ": it is not one of rdma-rpc");
        }
    }

    /** Ends all outstanding READs: they complete as flushed. Blocks. */
    public void abort() {
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
    }

    /**
     * Tells whether it was connected.
     *
     * @return true after {@link #complete}
     */
    public boolean isConnected() {
        return connector.isConnected();
    }

    QueuePair queuePair() {
        return qp;
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

    /** Counts a view until it is closed. */
    RemoteView count(RemoteView view, int bytes) {
        return new CountedView(view, bytes, viewedBytes);
    }

    boolean hasRoom() {
        return sendsInFlight < sendDepth;
    }

    /** Destroys the queue pair; READs outstanding then never complete, so {@link #abort} and drain first. Blocks. */
    @Override
    public void close() {
        qp.close();
    }
}
