package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.ServerAddress;
import io.rdmarpc.service.observation.RdmaObservationDocumentation.CallKey;
import io.rdmarpc.service.observation.RdmaObservationDocumentation.ClientKey;
import io.rdmarpc.service.observation.RdmaObservationDocumentation.PeerKey;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Attributes of calls as in OpenTelemetry's conventions for RPC, version 1.45.0. An attribute without a value is
 * omitted.
 */
final class CallTags {

    /** The conventions require names of systems in lower case without punctuation, such as {@code jsonrpc}. */
    private static final KeyValue SYSTEM = CallKey.SYSTEM.withValue("rdmarpc");

    private static final Map<RpcStatus, KeyValue> STATUSES = ofEachStatus(CallKey.STATUS);
    private static final Map<RpcStatus, KeyValue> ERRORS = ofEachStatus(CallKey.ERROR);

    private CallTags() {}

    private static Map<RpcStatus, KeyValue> ofEachStatus(CallKey key) {
        Map<RpcStatus, KeyValue> values = new EnumMap<>(RpcStatus.class);
        for (RpcStatus status : RpcStatus.values()) {
            values.put(status, key.withValue(status.name()));
        }
        return values;
    }

    static KeyValue method(CallContext call) {
        return method(call.service(), call.method().name());
    }

    /** Returns the attribute whose value is also the name of the span. */
    static KeyValue method(String service, String method) {
        return CallKey.METHOD.withValue(service + "/" + method);
    }

    /** Adds the status to the attributes of a started call. */
    static KeyValues of(KeyValues started, @Nullable RpcStatus status) {
        return status == null
                ? started
                : status == RpcStatus.OK ? started.and(status(status)) : started.and(status(status), error(status));
    }

    static KeyValue status(RpcStatus status) {
        return Objects.requireNonNull(STATUSES.get(status));
    }

    /** The conventions require the status code of a failed call as its error type. */
    static KeyValue error(RpcStatus status) {
        return Objects.requireNonNull(ERRORS.get(status));
    }

    /** Returns the attributes of a call at its start on the client. */
    static KeyValues client(KeyValue method, String name, ServerAddress server) {
        KeyValue target = ClientKey.TARGET.withValue(name);
        KeyValue address = ClientKey.SERVER_ADDRESS.withValue(server.address());
        return server.port() == 0
                ? KeyValues.of(SYSTEM, method, target, address)
                : KeyValues.of(
                        SYSTEM,
                        method,
                        target,
                        address,
                        ClientKey.SERVER_PORT.withValue(Integer.toString(server.port())));
    }

    /** Returns the attributes of a call at its start on the server. */
    static KeyValues server(KeyValue method) {
        return KeyValues.of(SYSTEM, method);
    }

    /** Returns the peer's address, which is its IP address and the port of its control connection. */
    static KeyValues peer(@Nullable PeerIdentity peer) {
        if (peer == null) {
            return KeyValues.empty();
        }
        String text = peer.address();
        int colon = text.lastIndexOf(':');
        return colon < 1
                ? KeyValues.of(PeerKey.ADDRESS.withValue(text))
                : KeyValues.of(
                        PeerKey.ADDRESS.withValue(text.substring(0, colon)),
                        PeerKey.PORT.withValue(text.substring(colon + 1)));
    }
}
