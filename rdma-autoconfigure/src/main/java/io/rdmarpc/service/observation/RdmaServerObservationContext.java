package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.transport.RequestReplyReceiverContext;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.ServerCallContext;
import org.jspecify.annotations.Nullable;

/** What is known of an observed call at the server. The context of its trace comes with its metadata. */
public final class RdmaServerObservationContext extends RequestReplyReceiverContext<CallMetadata, Object> {

    private final ServerCallContext call;
    private final KeyValue method;
    private final KeyValues begun;
    private volatile @Nullable RpcStatus status;

    /**
     * Describes a call that begins.
     *
     * @param call the call
     */
    public RdmaServerObservationContext(ServerCallContext call) {
        super((metadata, key) -> metadata.get(key));
        this.call = call;
        this.method = CallTags.method(call);
        this.begun = CallTags.server(method);
        setCarrier(call.metadata());
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
     * Returns the status of the call.
     *
     * @return null until the call has ended
     */
    public @Nullable RpcStatus status() {
        return status;
    }

    /** The attribute whose value is the name of the span, too; built once. */
    KeyValue method() {
        return method;
    }

    /** Attributes known when the call begins; built once for both ends of the observation. */
    KeyValues begun() {
        return begun;
    }

    void end(RpcStatus how) {
        status = how;
    }
}
