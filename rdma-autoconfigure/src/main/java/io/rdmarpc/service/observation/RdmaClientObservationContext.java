package io.rdmarpc.service.observation;

import io.micrometer.observation.transport.RequestReplySenderContext;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.ClientCallContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is known of an observed call at the client. The context of its trace travels in its metadata. */
public final class RdmaClientObservationContext extends RequestReplySenderContext<CallMetadata, Object> {

    private final ClientCallContext call;
    private volatile @Nullable RpcStatus status;

    /**
     * Describes a call that begins.
     *
     * @param call the call
     */
    public RdmaClientObservationContext(ClientCallContext call) {
        super((metadata, key, value) -> Objects.requireNonNull(metadata).put(key, value));
        this.call = call;
        setCarrier(call.metadata());
        setRemoteServiceName(call.target());
    }

    /**
     * Returns the call.
     *
     * @return with its method, metadata and peer
     */
    public ClientCallContext call() {
        return call;
    }

    /**
     * Tells how the call ended.
     *
     * @return null as long as it has not
     */
    public @Nullable RpcStatus status() {
        return status;
    }

    void end(RpcStatus how) {
        status = how;
    }
}
