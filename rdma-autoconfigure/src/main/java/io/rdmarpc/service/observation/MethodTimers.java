package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.MethodObserver;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The timers of one method, one for each status. Recording a call builds no tags and looks up no timer in the registry.
 */
final class MethodTimers implements MethodObserver {

    private final MeterRegistry registry;
    private final RdmaMeter meter;
    private final Tags tags;
    /** Indexed by the code of the status. */
    private final AtomicReferenceArray<@Nullable Timer> timers = new AtomicReferenceArray<>(RpcStatus.values().length);

    MethodTimers(MeterRegistry registry, RdmaMeter meter, Tags tags) {
        this.registry = registry;
        this.meter = meter;
        this.tags = tags;
    }

    @Override
    public void onEnd(RpcStatus status, @Nullable Throwable failure, long nanos) {
        Timer timer = timers.get(status.code());
        if (timer == null) {
            timer = register(status);
        }
        timer.record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Two threads may register the same timer; the registry returns the same object to both. */
    private Timer register(RpcStatus status) {
        Timer timer = Timer.builder(meter.meterName())
                .description(meter.description())
                .tags(tags)
                .tags(tagsOf(status))
                .register(registry);
        timers.set(status.code(), timer);
        return timer;
    }

    private static Tags tagsOf(RpcStatus status) {
        Tags tags = Tags.of(
                CallTags.status(status).getKey(), CallTags.status(status).getValue());
        return status == RpcStatus.OK
                ? tags
                : tags.and(
                        CallTags.error(status).getKey(), CallTags.error(status).getValue());
    }
}
