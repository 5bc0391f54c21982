package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.MethodObserver;

/** Times calls: {@code rdma.client.requests} and {@code rdma.server.requests}, with the same tag keys at all times. */
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
    public MethodObserver client(String service, String method, String target) {
        return new MethodTimers(
                registry, RdmaMeter.CLIENT_REQUESTS, tags(service, method).and(Tag.of("rdma.target", target)));
    }

    @Override
    public MethodObserver server(String service, String method) {
        return new MethodTimers(registry, RdmaMeter.SERVER_REQUESTS, tags(service, method));
    }

    private static Tags tags(String service, String method) {
        return Tags.of("rpc.system", "rdma", "rpc.service", service, "rpc.method", method);
    }
}
