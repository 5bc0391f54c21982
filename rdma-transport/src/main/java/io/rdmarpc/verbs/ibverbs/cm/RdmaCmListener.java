package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.cm.CmConnectionRequest;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEventType;
import io.rdmarpc.verbs.ibverbs.ffi.cm.LibRdmacm;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A listener. Each request moves to its own event channel when it is accepted, and does not depend on the listener
 * afterwards.
 */
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
            // The listener must stay open until a request has moved: both use its event channel.
            CmConnectionRequest request = id.whileOpen(WAIT, () -> next(deadline));
            if (request != null) {
                return Optional.of(request);
            }
        } while (!deadline.isOver());
        return Optional.empty();
    }

    private @Nullable CmConnectionRequest next(Deadline deadline) {
        CmEvent event = id.next(WAIT, deadline);
        if (event != null && event.type() == CmEventType.DEVICE_REMOVAL) {
            throw CmFailures.deviceRemoval(WAIT, path.deviceName());
        }
        return event == null || event.type() != CmEventType.CONNECT_REQUEST
                ? null
                : new RdmaCmRequest(CmIdentifier.adopt(library, event.id()), event);
    }

    @Override
    public void close() {
        id.close();
    }
}
