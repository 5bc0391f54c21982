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

/** Attributes of calls by OpenTelemetry's conventions for RPC, version 1.45.0. An attribute without a value is left out. */
final class CallTags {

    /** The conventions write names of systems in lower case without punctuation, such as {@code jsonrpc}. */
    static final KeyValue SYSTEM = CallKey.SYSTEM.withValue("rdmarpc");

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

    /** Name of the span and value of {@code rpc.method}. */
    static String qualified(String service, String method) {
        return service + "/" + method;
    }

    static KeyValue method(CallContext call) {
        return CallKey.METHOD.withValue(qualified(call.service(), call.method().name()));
    }

    /** Attributes of both sides: those of the status are there when the call has ended. */
    static KeyValues of(KeyValue method, @Nullable RpcStatus status) {
        return status == null
                ? KeyValues.of(SYSTEM, method)
                : status == RpcStatus.OK
                        ? KeyValues.of(SYSTEM, method, status(status))
                        : KeyValues.of(SYSTEM, method, status(status), error(status));
    }

    static KeyValue status(RpcStatus status) {
        return Objects.requireNonNull(STATUSES.get(status));
    }

    /** The conventions ask for the status code of a call that has one, and each failed call has one here. */
    static KeyValue error(RpcStatus status) {
        return Objects.requireNonNull(ERRORS.get(status));
    }

    /** Attributes of the configured target. */
    static KeyValues target(String name, ServerAddress server) {
        KeyValue target = ClientKey.TARGET.withValue(name);
        KeyValue address = ClientKey.SERVER_ADDRESS.withValue(server.address());
        return server.port() == 0
                ? KeyValues.of(target, address)
                : KeyValues.of(target, address, ClientKey.SERVER_PORT.withValue(Integer.toString(server.port())));
    }

    /** A peer's address is its IP address and the port of its control connection. */
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
