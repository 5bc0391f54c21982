package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Registers meters that read one source when a registry publishes. A registry holds only a weak reference to the
 * source.
 */
final class SourceMeters<T> {

    private final MeterRegistry registry;
    private final T source;
    private final Tags common;

    /** Creates meters of a source with common tags. */
    SourceMeters(MeterRegistry registry, T source, Tags common) {
        this.registry = registry;
        this.source = source;
        this.common = common;
    }

    void counter(RdmaMeter meter, ToDoubleFunction<T> value, String... tags) {
        FunctionCounter.builder(meter.meterName(), source, value)
                .description(meter.description())
                .baseUnit(unit(meter))
                .tags(common.and(tags))
                .register(registry);
    }

    void gauge(RdmaMeter meter, ToDoubleFunction<T> value, String... tags) {
        Gauge.builder(meter.meterName(), source, value)
                .description(meter.description())
                .baseUnit(unit(meter))
                .tags(common.and(tags))
                .register(registry);
    }

    private static @Nullable String unit(RdmaMeter meter) {
        return meter.unit().isEmpty() ? null : meter.unit();
    }
}
