package io.rdmarpc.service.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.LoopbackPair;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.ServerCallContext;
import io.rdmarpc.service.server.ServiceExporter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
@DisplayName("Calls that are rejected before the interceptors, with timers from observations")
class RejectedCallsTest {

    @RdmaService
    interface Stock {

        String count(String what);
    }

    private final LoopbackPair pair = new LoopbackPair();
    private final MeterRegistry meters = new SimpleMeterRegistry();
    private final AtomicReference<@Nullable String> tenant = new AtomicReference<>();

    private List<RdmaServerInterceptor> observed() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
        return List.of(new ObservedServerCalls(registry, null), new RdmaServerInterceptor() {
            @Override
            public @Nullable Object intercept(ServerCallContext call, CallContext.Next next) throws Throwable {
                return next.proceed();
            }

            @Override
            public void rejected(ServerCallContext call, RpcStatus status, @Nullable Throwable failure) {
                tenant.set(call.metadata().get("tenant"));
            }
        });
    }

    private Stock stock(ServiceExporter exporter) {
        pair.withExports(_ -> exporter.withInterceptors(observed()));
        pair.clientInterceptors.add((call, next) -> {
            call.metadata().put("tenant", "here");
            return next.proceed();
        });
        return pair.connect(Stock.class, what -> what);
    }

    private Timer timer(String status) {
        return meters.get("rpc.server.call.duration")
                .tag("rpc.status_code", status)
                .timer();
    }

    @Test
    void whenNoThreadIsAvailableThenTheRejectionIsCounted() {
        Stock stock = stock(new ServiceExporter(
                pair.codecs,
                CallObserver.NONE,
                task -> {
                    throw new RejectedExecutionException("full");
                },
                LoadLimits.NONE));

        assertThatExceptionOfType(RdmaOverloadedException.class).isThrownBy(() -> stock.count("bolts"));

        assertThat(timer("OVERLOADED").count()).isOne();
        assertThat(tenant).hasValue("here");
    }

    @Test
    void whenTheServerIsFullThenTheRejectionIsCounted() {
        AtomicReference<@Nullable Runnable> held = new AtomicReference<>();
        Stock stock =
                stock(new ServiceExporter(pair.codecs, CallObserver.NONE, held::set, new LoadLimits(1, Duration.ZERO)));
        Thread first = Thread.ofVirtual().start(() -> stock.count("held"));
        Awaitility.await().until(() -> held.get() != null);

        assertThatExceptionOfType(RdmaOverloadedException.class).isThrownBy(() -> stock.count("bolts"));

        assertThat(timer("OVERLOADED").count()).isOne();
        assertThat(tenant).hasValue("here");
        first.interrupt();
    }

    @Test
    void whenACallSucceedsThenItIsCountedOnce() {
        Stock stock = stock(new ServiceExporter(pair.codecs, CallObserver.NONE, Runnable::run, LoadLimits.NONE));

        assertThat(stock.count("bolts")).isEqualTo("bolts");

        assertThat(timer("OK").count()).isOne();
        assertThat(meters.find("rpc.server.call.duration").timers()).hasSize(1);
        assertThat(tenant).hasValue(null);
    }
}
