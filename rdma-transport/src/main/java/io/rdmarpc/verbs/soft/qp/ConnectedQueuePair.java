package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.port.Route;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The common part of RC and UC: one peer, messages of several packets, and writes of the peer into memory. */
public abstract class ConnectedQueuePair extends SoftQueuePair {

    private static final int FLOW_FACTOR = 0x9E37_79B9;
    private static final int FLOW_SHIFT = 12;

    private @Nullable Route route;
    private int mtuBytes;
    private int destinationQpn;
    private int accessFlags;
    private boolean established;
    /** Whether the route still has to be released. Its values stay readable afterwards. */
    private boolean hasRoute;

    protected ConnectedQueuePair(QueuePairParts parts) {
        super(parts);
    }

    /** Applies those attributes of the transition to RTR that this class does not handle, such as the first PSN. */
    protected abstract void onConnect(QueuePairAttributes attributes);

    /** Handles a packet of the peer. */
    protected abstract void onPeerPacket(PacketBuffer packet);

    @Override
    protected void apply(QueuePairAttributes attributes) {
        if (attributes.addressVector() != null && attributes.has(QueuePairMask.AV)) {
            connect(
                    Route.resolve(
                            QueuePairValues.VERB,
                            rnic().gids(),
                            rnic().link(),
                            attributes.addressVector(),
                            flow(attributes)),
                    attributes);
        }
        if (attributes.has(QueuePairMask.ACCESS_FLAGS)) {
            accessFlags = attributes.accessFlags();
        }
    }

    /** Returns a flow label, so that connections with different numbers may use different network paths. */
    private int flow(QueuePairAttributes attributes) {
        return (((number() * FLOW_FACTOR) ^ attributes.destinationQpn()) * FLOW_FACTOR) >>> FLOW_SHIFT;
    }

    private void connect(Route to, QueuePairAttributes attributes) {
        int most = to.source().mtu().bytes();
        if (attributes.pathMtu().bytes() > most) {
            rnic().link().release(to.destination());
            throw new RdmaVerbsException(
                    QueuePairValues.VERB,
                    DeviceConstants.NAME,
                    Errno.EINVAL,
                    "PATH_MTU " + attributes.pathMtu().bytes() + " exceeds the MTU of " + most
                            + " bytes of the interface with GID "
                            + to.source().entry().gid() + ". Use at most that.");
        }
        releaseRoute();
        route = to;
        hasRoute = true;
        mtuBytes = attributes.pathMtu().bytes();
        destinationQpn = attributes.destinationQpn();
        established = false;
        onConnect(attributes);
    }

    @Override
    protected void releaseResources() {
        releaseRoute();
    }

    private void releaseRoute() {
        if (hasRoute) {
            hasRoute = false;
            rnic().link().release(route().destination());
        }
    }

    /** Returns the route to the peer; the queue pair is at least in RTR. */
    public final Route route() {
        return Objects.requireNonNull(route);
    }

    public final int mtuBytes() {
        return mtuBytes;
    }

    public final int destinationQpn() {
        return destinationQpn;
    }

    /** Returns whether the connection grants the peer a right; the memory region has to grant it as well. */
    public final boolean allows(AccessFlag right) {
        return (accessFlags & right.bit()) != 0;
    }

    /** Finds the region for the peer's access, or null if the key, the range or the right does not allow it. */
    public final @Nullable SoftMemoryRegion remote(int rkey, long address, long bytes, AccessFlag right) {
        return domain().remote(rkey, address, bytes, right.bit());
    }

    @Override
    public final void onPacket(int localIndex, long sourceHigh, long sourceLow, PacketBuffer packet) {
        if (!isReceiving()) {
            drop(DropReason.WRONG_STATE);
        } else if (!route().isFrom(localIndex, sourceHigh, sourceLow)) {
            drop(DropReason.WRONG_SOURCE);
        } else {
            reportFirstPacket();
            onPeerPacket(packet);
        }
    }

    /** Reports the first packet of the peer in RTR, after which the application may go to RTS (12.9.6). */
    private void reportFirstPacket() {
        if (!established && state() == QueuePairState.RTR) {
            established = true;
            report(AsyncEventType.COMM_EST);
        }
    }

    /** Copies the fields of WRITEs; SENDs ignore them. */
    protected static void load(SendRequests requests, int index, SendWqe into) {
        into.remoteAddress = requests.remoteAddress(index);
        into.rkey = requests.rkey(index);
    }

    protected static boolean isMessage(int opcode) {
        return opcode == SendOpcode.SEND
                || opcode == SendOpcode.SEND_WITH_IMM
                || opcode == SendOpcode.RDMA_WRITE
                || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
    }

    public final void drop(DropReason reason) {
        rnic().counters().countDrop(reason);
    }
}
