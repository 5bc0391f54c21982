package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.MethodObserver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The timers of one method, one for each way a call can end; found without building tags for each call. */
final class MethodTimers implements MethodObserver {

    private record End(RpcStatus status, String exception) {}

    private final MeterRegistry registry;
    private final RdmaMeter meter;
    private final Tags tags;
    private final Map<End, Timer> others = new ConcurrentHashMap<>();
    private volatile @Nullable Timer success;

    MethodTimers(MeterRegistry registry, RdmaMeter meter, Tags tags) {
        this.registry = registry;
        this.meter = meter;
        this.tags = tags;
    }

    @Override
    public void onEnd(RpcStatus status, @Nullable Throwable failure, long nanos) {
        Timer timer = status == RpcStatus.OK ? success() : other(status, failure);
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Two threads may both ask the registry: it gives them the same timer. */
    private Timer success() {
        Timer known = success;
        if (known == null) {
            known = register(new End(RpcStatus.OK, CallTags.exception(null)));
            success = known;
        }
        return known;
    }

    private Timer other(RpcStatus status, @Nullable Throwable failure) {
        return others.computeIfAbsent(new End(status, CallTags.exception(failure)), this::register);
    }

    private Timer register(End end) {
        return Timer.builder(meter.meterName())
                .description(meter.description())
                .tags(tags)
                .tag("outcome", Outcome.of(end.status()).name())
                .tag("rdma.status", end.status().name())
                .tag("exception", end.exception())
                .register(registry);
    }
}
