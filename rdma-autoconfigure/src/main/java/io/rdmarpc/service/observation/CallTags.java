package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValues;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.observation.RdmaObservationDocumentation.CallKey;
import io.rdmarpc.service.observation.RdmaObservationDocumentation.PeerKey;
import org.jspecify.annotations.Nullable;

/** Tags of calls that both sides have, the same keys from the beginning of a call to its end. */
final class CallTags {

    private static final String NONE = "none";

    private CallTags() {}

    static KeyValues of(CallContext call, @Nullable RpcStatus status, @Nullable Throwable failure) {
        Outcome outcome = status == null ? Outcome.UNKNOWN : Outcome.of(status);
        return KeyValues.of(
                CallKey.SYSTEM.withValue("rdma"),
                CallKey.SERVICE.withValue(call.service()),
                CallKey.METHOD.withValue(call.method().name()),
                CallKey.OUTCOME.withValue(outcome.name()),
                CallKey.STATUS.withValue(status == null ? Outcome.UNKNOWN.name() : status.name()),
                CallKey.EXCEPTION.withValue(exception(failure)));
    }

    /** An anonymous class has no simple name, and a tag must have a value. */
    static String exception(@Nullable Throwable failure) {
        if (failure == null) {
            return NONE;
        }
        String simpleName = failure.getClass().getSimpleName();
        return simpleName.isEmpty() ? failure.getClass().getName() : simpleName;
    }

    static KeyValues peer(@Nullable PeerIdentity peer) {
        return peer == null ? KeyValues.empty() : KeyValues.of(PeerKey.PEER.withValue(peer.address()));
    }
}
