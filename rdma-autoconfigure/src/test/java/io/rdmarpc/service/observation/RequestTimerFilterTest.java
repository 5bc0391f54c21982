package io.rdmarpc.service.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class RequestTimerFilterTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final AtomicReference<DistributionStatisticConfig> seen = new AtomicReference<>();

    /**
     * Returns the configuration of a timer without settings of its own, after this filter and those of the application.
     */
    private DistributionStatisticConfig configOf(String name, MeterFilter... more) {
        registry.config().meterFilter(new RequestTimerFilter());
        for (MeterFilter filter : more) {
            registry.config().meterFilter(filter);
        }
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                seen.set(config);
                return config;
            }
        });
        Timer.builder(name).publishPercentileHistogram().register(registry).record(1, TimeUnit.MICROSECONDS);
        return seen.get().merge(DistributionStatisticConfig.DEFAULT);
    }

    @Test
    void shouldStartClientHistogramsAtOneMicrosecond() {
        assertThat(configOf("rpc.client.call.duration").getMinimumExpectedValueAsDouble())
                .isEqualTo(1_000);
    }

    @Test
    void shouldBoundServerHistogramsAtOneMicrosecondAndTenSeconds() {
        DistributionStatisticConfig config = configOf("rpc.server.call.duration");
        assertThat(config.getHistogramBuckets(true).first()).isBetween(1_000.0, 2_000.0);
        assertThat(config.getMaximumExpectedValueAsDouble()).isEqualTo(1e10);
    }

    @Test
    void shouldNotChangeOtherTimers() {
        assertThat(configOf("http.server.requests").getMinimumExpectedValueAsDouble())
                .isEqualTo(1e6);
    }

    @Test
    void shouldPreferSettingsOfTheApplication() {
        MeterFilter application = new MeterFilter() {
            @Override
            public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
                return DistributionStatisticConfig.builder()
                        .minimumExpectedValue(5e6)
                        .build()
                        .merge(config);
            }
        };
        assertThat(configOf("rpc.client.call.duration", application).getMinimumExpectedValueAsDouble())
                .isEqualTo(5e6);
    }
}
