package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;

/** Records call durations as {@link RdmaMeter#CLIENT_CALLS} and {@link RdmaMeter#SERVER_CALLS}. Thread-safe. */
public final class MicrometerCallObserver implements CallObserver {

    private final MeterRegistry registry;

    /**
     * Creates an observer.
     *
     * @param registry the registry of the timers
     */
    public MicrometerCallObserver(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public MethodObserver client(String service, String method, String target, ServerAddress server) {
        return new MethodTimers(
                registry,
                RdmaMeter.CLIENT_CALLS,
                tags(CallTags.client(CallTags.method(service, method), target, server)));
    }

    @Override
    public MethodObserver server(String service, String method) {
        return new MethodTimers(
                registry, RdmaMeter.SERVER_CALLS, tags(CallTags.server(CallTags.method(service, method))));
    }

    private static Tags tags(KeyValues attributes) {
        Tags tags = Tags.empty();
        for (KeyValue attribute : attributes) {
            tags = tags.and(attribute.getKey(), attribute.getValue());
        }
        return tags;
    }
}
