package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.cm.CmConnection;
import io.rdmarpc.verbs.cm.CmParameters;
import io.rdmarpc.verbs.cm.CmRoute;
import io.rdmarpc.verbs.ibverbs.IbvQueuePair;
import java.time.Duration;

/** A route to a peer. Closing it does nothing after it has become a connection. */
final class RdmaCmRoute extends RdmaCmEndpoint implements CmRoute {

    private static final String CONNECT = "rdma_connect";

    private volatile boolean connected;

    RdmaCmRoute(CmIdentifier id) {
        super(id, id.path());
    }

    @Override
    public void initialize(QueuePair queuePair) {
        IbvQueuePair ours = CmHandshake.requireUnconnected(queuePair, path(), "rdma_init_qp_attr");
        new CmHandshake(id(), path(), ours, new CmParameters()).initialize();
    }

    @Override
    public CmConnection connect(QueuePair queuePair, CmParameters parameters, Duration timeout) {
        CmHandshake.checkLength(CONNECT, path(), parameters.privateData(), CmParameters.MAX_CONNECT_DATA_BYTES);
        IbvQueuePair ours = CmHandshake.requireUnconnected(queuePair, path(), CONNECT);
        CmConnection connection = new CmHandshake(id(), path(), ours, parameters).connect(timeout);
        connected = true;
        return connection;
    }

    @Override
    public void close() {
        if (!connected) {
            id().close();
        }
    }
}
