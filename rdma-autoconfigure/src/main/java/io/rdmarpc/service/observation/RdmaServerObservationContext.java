package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.transport.RequestReplyReceiverContext;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.ServerCallContext;
import org.jspecify.annotations.Nullable;

/** The context of an observed call at the server. The trace context is received in the metadata of the call. */
public final class RdmaServerObservationContext extends RequestReplyReceiverContext<CallMetadata, Object> {

    private final ServerCallContext call;
    private final KeyValue method;
    private final KeyValues started;
    private volatile @Nullable RpcStatus status;

    /**
     * Creates the context of a started call.
     *
     * @param call the call
     */
    public RdmaServerObservationContext(ServerCallContext call) {
        super((metadata, key) -> metadata.get(key));
        this.call = call;
        this.method = CallTags.method(call);
        this.started = CallTags.server(method);
        setCarrier(call.metadata());
    }

    /**
     * Returns the call.
     *
     * @return the call with its method, metadata and peer
     */
    public ServerCallContext call() {
        return call;
    }

    /**
     * Returns the status of the call.
     *
     * @return the status, null until the call has ended
     */
    public @Nullable RpcStatus status() {
        return status;
    }

    /** Returns the attribute whose value is also the name of the span; built once. */
    KeyValue method() {
        return method;
    }

    /** Returns the attributes known at the start of the call; built once for start and stop of the observation. */
    KeyValues started() {
        return started;
    }

    void end(RpcStatus finalStatus) {
        status = finalStatus;
    }
}
