package io.rdmarpc.service.observation;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import java.time.Duration;
import org.springframework.core.Ordered;

/**
 * Bounds of histograms of calls, whoever makes the timers. Without it a histogram would start at a millisecond, where most
 * calls are long over. Comes first, so that what the application sets wins.
 */
public final class RequestTimerFilter implements MeterFilter, Ordered {

    private static final DistributionStatisticConfig BOUNDS = DistributionStatisticConfig.builder()
            .minimumExpectedValue((double) Duration.ofNanos(1_000).toNanos())
            .maximumExpectedValue((double) Duration.ofSeconds(10).toNanos())
            .build();

    /** Creates the filter. */
    public RequestTimerFilter() {}

    @Override
    public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
        // Over what each timer has by default.
        return isOfCalls(id.getName()) ? BOUNDS.merge(config) : config;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    private static boolean isOfCalls(String name) {
        return name.equals(RdmaMeter.CLIENT_REQUESTS.meterName()) || name.equals(RdmaMeter.SERVER_REQUESTS.meterName());
    }
}
