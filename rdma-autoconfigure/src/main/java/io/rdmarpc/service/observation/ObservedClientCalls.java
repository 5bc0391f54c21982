package io.rdmarpc.service.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.ClientCallContext;
import io.rdmarpc.service.RdmaClientInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * Observes each call at the client. The trace context is sent in the metadata of the call.
 */
public final class ObservedClientCalls implements RdmaClientInterceptor, Ordered {

    /** Order before other interceptors, so that the observation includes them. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    private static final RdmaClientObservationConvention DEFAULT = new DefaultRdmaClientObservationConvention();

    private final ObservationRegistry registry;
    private final @Nullable RdmaClientObservationConvention convention;

    /**
     * Creates the interceptor.
     *
     * @param registry handles the observations
     * @param convention provides names and tags, null for {@link DefaultRdmaClientObservationConvention}
     */
    public ObservedClientCalls(ObservationRegistry registry, @Nullable RdmaClientObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public @Nullable Object intercept(ClientCallContext call, CallContext.Next next) throws Throwable {
        if (registry.isNoop()) {
            return next.proceed();
        }
        RdmaClientObservationContext context = new RdmaClientObservationContext(call);
        Observation observation = RdmaObservationDocumentation.CLIENT
                .observation(convention, DEFAULT, () -> context, registry)
                .start();
        call.onEnd((status, failure) -> {
            context.end(status);
            if (failure != null) {
                observation.error(failure);
            }
            observation.stop();
        });
        try (Observation.Scope _ = observation.openScope()) {
            return next.proceed();
        }
    }

    @Override
    public int getOrder() {
        return ORDER;
    }
}
