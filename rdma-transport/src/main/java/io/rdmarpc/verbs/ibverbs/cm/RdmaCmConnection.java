package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.ibverbs.IbvQueuePair;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import io.rdmarpc.verbs.ibverbs.ffi.cm.LibRdmacm;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A connection. Only {@link #awaitDisconnect} reads its events: no thread watches it. */
final class RdmaCmConnection extends RdmaCmEndpoint implements CmConnection {

    private static final String WAIT = "rdma_get_cm_event";

    private final IbvQueuePair queuePair;
    private final byte[] peerPrivateData;
    private final CmDepths depths;
    private final AtomicBoolean disconnecting = new AtomicBoolean();
    private volatile boolean ended;

    RdmaCmConnection(CmIdentifier id, CmPath path, IbvQueuePair queuePair, byte[] peerPrivateData, CmDepths depths) {
        super(id, path);
        this.queuePair = queuePair;
        this.peerPrivateData = peerPrivateData;
        this.depths = depths;
    }

    @Override
    public byte[] peerPrivateData() {
        return peerPrivateData.clone();
    }

    @Override
    public int initiatorDepth() {
        return depths.initiatorDepth();
    }

    @Override
    public int responderResources() {
        return depths.responderResources();
    }

    @Override
    public void disconnect() {
        if (disconnecting.compareAndSet(false, true)) {
            CmHandshake.fail(queuePair);
            id().callQuietly(LibRdmacm::disconnect);
        }
    }

    @Override
    public boolean awaitDisconnect(Duration timeout) {
        Deadline deadline = Deadline.in(timeout);
        while (!ended) {
            CmEvent event = next(deadline);
            if (event != null) {
                handle(event);
            } else if (!ended && deadline.isOver()) {
                return false;
            }
        }
        id().wakeUp(); // Wakes the next waiting thread, because only one thread received the event.
        return true;
    }

    private @Nullable CmEvent next(Deadline deadline) {
        try {
            return id().next(WAIT, deadline);
        } catch (RdmaCmException e) {
            if (e.failure() != CmFailure.CLOSED) {
                throw e;
            }
            ended = true;
            return null;
        }
    }

    private void handle(CmEvent event) {
        switch (event.type()) {
            case DISCONNECTED -> {
                ended = true;
                disconnect();
            }
            case DEVICE_REMOVAL -> throw CmFailures.deviceRemoval(WAIT, deviceName());
            default -> {
                // TIMEWAIT_EXIT and ADDR_CHANGE have no effect.
            }
        }
    }

    @Override
    public void close() {
        disconnect();
        id().close();
    }
}
