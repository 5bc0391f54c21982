package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.ibverbs.IbvQueuePair;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import java.time.Duration;

/** A connection request of a peer. Closing it does nothing after it has become a connection. */
final class RdmaCmRequest extends RdmaCmEndpoint implements CmConnectionRequest {

    private static final String ACCEPT = "rdma_accept";
    private static final String REJECT = "rdma_reject";

    private final CmEvent event;
    private volatile boolean connected;

    RdmaCmRequest(CmIdentifier id, CmEvent event) {
        super(id, id.path());
        this.event = event;
    }

    @Override
    public byte[] privateData() {
        return event.privateData();
    }

    @Override
    public void initialize(QueuePair queuePair) {
        IbvQueuePair ours = CmHandshake.requireUnconnected(queuePair, path(), "rdma_init_qp_attr");
        new CmHandshake(id(), path(), ours, new CmParameters()).initialize();
    }

    @Override
    public CmConnection accept(QueuePair queuePair, CmParameters parameters, Duration timeout) {
        CmHandshake.checkLength(ACCEPT, path(), parameters.privateData(), CmParameters.MAX_ACCEPT_DATA_BYTES);
        IbvQueuePair ours = CmHandshake.requireUnconnected(queuePair, path(), ACCEPT);
        CmConnection connection = new CmHandshake(id(), path(), ours, parameters).accept(event, timeout);
        connected = true;
        return connection;
    }

    @Override
    public void reject(byte[] privateData) {
        CmHandshake.checkLength(REJECT, path(), privateData, CmParameters.MAX_REJECT_DATA_BYTES);
        try {
            id().call(
                            REJECT,
                            (library, identifier) -> library.reject(identifier, privateData),
                            CmFailure.CONNECT_ERROR,
                            "The kernel did not send the rejection of " + path().describe()
                                    + ": check whether the peer cancelled it");
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        if (!connected) {
            id().close();
        }
    }
}
