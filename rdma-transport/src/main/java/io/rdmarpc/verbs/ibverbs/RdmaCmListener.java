package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.ibverbs.ffi.CmEvent;
import io.rdmarpc.verbs.ibverbs.ffi.CmEventType;
import io.rdmarpc.verbs.ibverbs.ffi.LibRdmacm;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** A listener. Requests leave its event channel as soon as they are taken, and do not depend on it any more. */
final class RdmaCmListener implements CmListener {

    private static final String WAIT = "rdma_get_cm_event";

    private final LibRdmacm library;
    private final CmIdentifier id;
    private final CmPath path;

    RdmaCmListener(LibRdmacm library, CmIdentifier id) {
        this.library = library;
        this.id = id;
        this.path = id.path();
    }

    @Override
    public InetSocketAddress localAddress() {
        return path.localAddress();
    }

    @Override
    public Optional<CmConnectionRequest> accept(Duration timeout) {
        Deadline deadline = Deadline.in(timeout);
        do {
            CmEvent event = id.next(WAIT, deadline);
            if (event != null && event.type() == CmEventType.DEVICE_REMOVAL) {
                throw CmFailures.deviceRemoval(WAIT, path.deviceName());
            }
            if (event != null && event.type() == CmEventType.CONNECT_REQUEST) {
                return Optional.of(adopt(event));
            }
        } while (!deadline.isOver());
        return Optional.empty();
    }

    /** The listener must stay open until the request has moved: both use its event channel. */
    private CmConnectionRequest adopt(CmEvent event) {
        return new RdmaCmRequest(id.whileOpen("rdma_migrate_id", () -> CmIdentifier.adopt(library, event.id())), event);
    }

    @Override
    public void close() {
        id.close();
    }
}
