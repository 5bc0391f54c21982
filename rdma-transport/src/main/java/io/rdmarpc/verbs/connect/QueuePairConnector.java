package io.rdmarpc.verbs.connect;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Connects an RC or UC queue pair in two phases. Between the phases, both ends exchange their endpoints by any means.
 * The methods block. Not thread-safe.
 *
 * <pre>
 *   prepare: RESET -> INIT   receives may be posted; then exchange the endpoints
 *   complete: INIT -> RTR -> RTS                      path MTU and READs are the minimum of both ends
 * </pre>
 *
 * The peer may send as soon as its second phase is complete. Post receives before you send the endpoint.
 */
public final class QueuePairConnector {

    private static final int PSN_BITS = 24;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final QueuePair qp;
    private final int portNumber;
    private final GidEntry from;
    private final ConnectionSettings settings;
    private final QueuePairEndpoint own;
    private @Nullable PathMtu negotiatedMtu;

    private QueuePairConnector(
            QueuePair qp, int portNumber, GidEntry from, ConnectionSettings settings, QueuePairEndpoint own) {
        this.qp = qp;
        this.portNumber = portNumber;
        this.from = from;
        this.settings = settings;
        this.own = own;
    }

    /**
     * Moves a queue pair to INIT, the first phase.
     *
     * @param qp an RC or UC queue pair in RESET; the caller keeps ownership
     * @param context the device of the queue pair
     * @param portNumber the local port, from 1
     * @param from the local GID
     * @param settings the settings of the connection
     * @return the connector, with the endpoint to send to the peer
     * @throws RdmaVerbsException if the device rejects the request, or the queue pair is of type UD
     */
    public static QueuePairConnector prepare(
            QueuePair qp, RdmaContext context, int portNumber, GidEntry from, ConnectionSettings settings) {
        if (qp.type() == QueuePairType.UD) {
            throw new RdmaVerbsException(
                    "ibv_modify_qp",
                    context.deviceName(),
                    Errno.EINVAL,
                    "A UD queue pair cannot be connected: create one of type RC or UC");
        }
        PortAttributes port = context.queryPort(portNumber);
        DeviceAttributes limits = context.attributes();
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(settings.path().pkeyIndex())
                .portNumber(portNumber)
                .accessFlags(AccessFlag.bits(settings.access())));
        int psn = settings.firstPsn() == ConnectionSettings.RANDOM_PSN
                ? RANDOM.nextInt(1 << PSN_BITS)
                : settings.firstPsn();
        QueuePairEndpoint own = new QueuePairEndpoint(
                from.gid(),
                port.lid(),
                qp.number(),
                psn,
                settings.pathMtu().min(port.activeMtu()),
                Math.min(settings.reads().asInitiator(), limits.maxQpInitRdAtom()),
                Math.min(settings.reads().asResponder(), limits.maxQpRdAtom()));
        return new QueuePairConnector(qp, portNumber, from, settings, own);
    }

    /**
     * Returns this end's endpoint, which the peer needs.
     *
     * @return the endpoint
     */
    public QueuePairEndpoint endpoint() {
        return own;
    }

    /**
     * Connects to the peer's endpoint, the second phase. Afterwards sends may be posted.
     *
     * @param peer the peer's endpoint
     * @throws RdmaVerbsException if the device rejects the request, for instance because there is no route to the peer
     */
    public void complete(QueuePairEndpoint peer) {
        PathMtu mtu = own.pathMtu().min(peer.pathMtu());
        QueuePairAttributes toReceive = new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(routeTo(peer))
                .pathMtu(mtu)
                .destinationQpn(peer.qpn())
                .receivePsn(peer.psn());
        QueuePairAttributes toSend =
                new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(own.psn());
        if (qp.type() == QueuePairType.RC) {
            ConnectionSettings.Retries retries = settings.retries();
            toReceive
                    .maxDestReadAtomic(Math.min(own.maxReadsAsResponder(), peer.maxReadsAsInitiator()))
                    .minRnrTimer(retries.minRnrTimer());
            toSend.timeout(retries.timeout())
                    .retryCount(retries.retryCount())
                    .rnrRetry(retries.rnrRetry())
                    .maxReadAtomic(Math.min(own.maxReadsAsInitiator(), peer.maxReadsAsResponder()));
        }
        qp.modify(toReceive);
        qp.modify(toSend);
        negotiatedMtu = mtu;
    }

    private AddressHandleAttributes routeTo(QueuePairEndpoint peer) {
        ConnectionSettings.Path path = settings.path();
        return new AddressHandleAttributes(
                peer.gid(),
                peer.lid(),
                from.index(),
                path.hopLimit(),
                path.trafficClass(),
                path.serviceLevel(),
                portNumber);
    }

    /**
     * Returns whether both phases are complete.
     *
     * @return true after {@link #complete}
     */
    public boolean isConnected() {
        return negotiatedMtu != null;
    }

    /**
     * Returns the path MTU of the connection.
     *
     * @return the maximum payload of a packet
     * @throws IllegalStateException before {@link #complete}
     */
    public PathMtu pathMtu() {
        if (negotiatedMtu == null) {
            throw new IllegalStateException(
                    "the queue pair is not connected yet: call complete with the peer's endpoint");
        }
        return negotiatedMtu;
    }
}
