package io.rdmarpc.service.observation;

import io.micrometer.observation.transport.RequestReplyReceiverContext;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.ServerCallContext;
import org.jspecify.annotations.Nullable;

/** What is known of an observed call at the server. The context of its trace comes with its metadata. */
public final class RdmaServerObservationContext extends RequestReplyReceiverContext<CallMetadata, Object> {

    private final ServerCallContext call;
    private volatile @Nullable RpcStatus status;

    /**
     * Describes a call that begins.
     *
     * @param call the call
     */
    public RdmaServerObservationContext(ServerCallContext call) {
        super((metadata, key) -> metadata.get(key));
        this.call = call;
        setCarrier(call.metadata());
        setRemoteServiceAddress(call.peer().address());
    }

    /**
     * Returns the call.
     *
     * @return with its method, metadata and peer
     */
    public ServerCallContext call() {
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
