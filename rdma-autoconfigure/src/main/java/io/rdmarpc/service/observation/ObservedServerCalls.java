package io.rdmarpc.service.observation;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.ServerCallContext;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * Observes each call at the server and continues the trace of its caller.
 */
public final class ObservedServerCalls implements RdmaServerInterceptor, Ordered {

    /** Order before other interceptors, so that the observation includes them. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    private static final RdmaServerObservationConvention DEFAULT = new DefaultRdmaServerObservationConvention();

    private final ObservationRegistry registry;
    private final @Nullable RdmaServerObservationConvention convention;

    /**
     * Creates the interceptor.
     *
     * @param registry handles the observations
     * @param convention provides names and tags, null for {@link DefaultRdmaServerObservationConvention}
     */
    public ObservedServerCalls(ObservationRegistry registry, @Nullable RdmaServerObservationConvention convention) {
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public @Nullable Object intercept(ServerCallContext call, CallContext.Next next) throws Throwable {
        if (registry.isNoop()) {
            return next.proceed();
        }
        RdmaServerObservationContext context = new RdmaServerObservationContext(call);
        Observation observation = start(context);
        call.onEnd((status, failure) -> stop(observation, context, status, failure));
        call.around(() -> observation.openScope()::close);
        try (Observation.Scope _ = observation.openScope()) {
            return next.proceed();
        }
    }

    /** Records an observation that starts and stops at once. */
    @Override
    public void rejected(ServerCallContext call, RpcStatus status, @Nullable Throwable failure) {
        if (!registry.isNoop()) {
            RdmaServerObservationContext context = new RdmaServerObservationContext(call);
            stop(start(context), context, status, failure);
        }
    }

    private Observation start(RdmaServerObservationContext context) {
        return RdmaObservationDocumentation.SERVER
                .observation(convention, DEFAULT, () -> context, registry)
                .start();
    }

    private static void stop(
            Observation observation,
            RdmaServerObservationContext context,
            RpcStatus status,
            @Nullable Throwable failure) {
        context.end(status);
        if (failure != null) {
            observation.error(failure);
        }
        observation.stop();
    }

    @Override
    public int getOrder() {
        return ORDER;
    }
}
