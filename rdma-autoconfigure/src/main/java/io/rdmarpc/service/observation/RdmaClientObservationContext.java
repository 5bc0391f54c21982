package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.transport.RequestReplySenderContext;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.ClientCallContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is known of an observed call at the client. The context of its trace travels in its metadata. */
public final class RdmaClientObservationContext extends RequestReplySenderContext<CallMetadata, Object> {

    private final ClientCallContext call;
    private final KeyValue method;
    private final KeyValues begun;
    private volatile @Nullable RpcStatus status;

    /**
     * Describes a call that begins.
     *
     * @param call the call
     */
    public RdmaClientObservationContext(ClientCallContext call) {
        super((metadata, key, value) -> Objects.requireNonNull(metadata).put(key, value));
        this.call = call;
        this.method = CallTags.method(call);
        this.begun = CallTags.client(method, call.target(), call.server());
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
