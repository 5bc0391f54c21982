package io.rdmarpc.service.observation;

import io.micrometer.common.KeyValue;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;

/** Times calls with {@link RdmaMeter#CLIENT_CALLS} and {@link RdmaMeter#SERVER_CALLS}. Any thread. */
public final class MicrometerCallObserver implements CallObserver {

    private final MeterRegistry registry;

    /**
     * Creates an observer.
     *
     * @param registry where the timers are
     */
    public MicrometerCallObserver(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public MethodObserver client(String service, String method, String target, ServerAddress server) {
        Tags tags = tags(service, method);
        for (KeyValue attribute : CallTags.target(target, server)) {
            tags = tags.and(attribute.getKey(), attribute.getValue());
        }
        return new MethodTimers(registry, RdmaMeter.CLIENT_CALLS, tags);
    }

    @Override
    public MethodObserver server(String service, String method) {
        return new MethodTimers(registry, RdmaMeter.SERVER_CALLS, tags(service, method));
    }

    private static Tags tags(String service, String method) {
        return Tags.of(
                CallTags.SYSTEM.getKey(),
                CallTags.SYSTEM.getValue(),
                RdmaObservationDocumentation.CallKey.METHOD.asString(),
                CallTags.qualified(service, method));
    }
}
