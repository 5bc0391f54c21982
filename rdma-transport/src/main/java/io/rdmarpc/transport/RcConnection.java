package io.rdmarpc.transport;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.AddressHandleAttributes;
import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.PathMtu;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairAttributes;
import io.rdmarpc.verbs.QueuePairState;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

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

    private static final int PSN_BITS = 24;
    private static final int MIN_RNR_TIMER = 12;
    private static final int RNR_RETRY = 6;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final NicContext nic;
    private final RcConfig config;
    private final GidEntry from;
    private final QueuePair qp;
    private final int psn = RANDOM.nextInt(1 << PSN_BITS);
    private final int maxReads;
    private final int sendDepth;
    private @Nullable PathMtu pathMtu;
    // Engine thread only.
    int sendsInFlight;

    RcConnection(NicContext nic, RcConfig config, GidEntry from, QueuePair qp, int maxReads) {
        this.nic = nic;
        this.config = config;
        this.from = from;
        this.qp = qp;
        this.maxReads = maxReads;
        this.sendDepth = Math.min(config.sendDepth(), qp.capabilities().maxSendWr());
        // A peer may only READ, and only what is registered for it.
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(nic.portNumber())
                .accessFlags(AccessFlag.REMOTE_READ.bit()));
    }

    /**
     * Describes this end for the peer.
     *
     * @return the endpoint
     */
    public RcEndpoint endpoint() {
        return new RcEndpoint(from.gid(), nic.port().lid(), qp.number(), psn, maxReads);
    }

    /**
     * Connects to the peer's end. Blocks.
     *
     * @param peer its endpoint
     * @param mtu the path MTU both agreed on
     */
    public void complete(RcEndpoint peer, PathMtu mtu) {
        int reads = Math.max(1, Math.min(maxReads, peer.maxReads()));
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(AddressHandleAttributes.to(peer.gid(), peer.lid(), from.index(), nic.portNumber()))
                .pathMtu(mtu)
                .destinationQpn(peer.qpn())
                .receivePsn(peer.psn())
                .maxDestReadAtomic(reads)
                .minRnrTimer(MIN_RNR_TIMER));
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .sendPsn(psn)
                .timeout(config.ackTimeout())
                .retryCount(config.retryCount())
                .rnrRetry(RNR_RETRY)
                .maxReadAtomic(reads));
        pathMtu = mtu;
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
        return pathMtu != null;
    }

    QueuePair queuePair() {
        return qp;
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
