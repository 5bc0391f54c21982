package io.rdmarpc.service.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.LoopbackPair;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.contract.MethodSettings;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(20)
@DisplayName("Retried calls")
class RetryTest {

    @RdmaService
    interface Stock {

        @RdmaMethod(idempotent = true, backoff = "1ms")
        int count();

        @RdmaMethod(idempotent = true, attempts = 4, backoff = "1ms")
        CompletableFuture<Integer> countLater();

        int take();

        @RdmaMethod(oneWay = true)
        void tell();
    }

    private final LoopbackPair pair = new LoopbackPair();
    private final AtomicInteger runs = new AtomicInteger();
    private RpcStatus failure = RpcStatus.OVERLOADED;
    private int failures;

    private final Stock bean = new Stock() {
        @Override
        public int count() {
            if (runs.incrementAndGet() <= failures) {
                throw new RdmaStatusException(failure, "come again");
            }
            return 42;
        }

        @Override
        public CompletableFuture<Integer> countLater() {
            return CompletableFuture.completedFuture(count());
        }

        @Override
        public int take() {
            return count();
        }

        @Override
        public void tell() {
            count();
        }
    };

    @Test
    void whenAnIdempotentCallIsRejectedTwiceThenTheThirdAttemptCounts() {
        failures = 2;
        assertThat(pair.connect(Stock.class, bean).count()).isEqualTo(42);
        assertThat(runs).hasValue(3);
    }

    @Test
    void whenAllAttemptsFailThenTheLastFailureIsThrown() {
        failures = 100;
        Stock stock = pair.connect(Stock.class, bean);

        assertThatExceptionOfType(RdmaOverloadedException.class).isThrownBy(stock::count);
        assertThat(runs).hasValue(3);
    }

    @Test
    void whenAMethodHasNoSettingsThenTheClientsSettingsApply() {
        failures = 4;
        Stock stock = pair.withProxies(proxies -> proxies.withRetry(new RetrySettings(5, Duration.ofMillis(1), null)))
                .connect(Stock.class, bean);

        assertThat(stock.count()).isEqualTo(42);
        assertThat(runs).hasValue(5);
    }

    @Test
    void whenAMethodHasSettingsThenTheClientsSettingsDoNotApply() {
        failures = 100;
        Stock stock = pair.withProxies(proxies -> proxies.withRetry(new RetrySettings(1, Duration.ofMillis(1), null)))
                .connect(Stock.class, bean);

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> stock.countLater().get());
        assertThat(runs).hasValue(4);
    }

    @Test
    void whenAnIdempotentFutureFailsThenItIsRetried() throws Exception {
        failures = 3;
        assertThat(pair.connect(Stock.class, bean).countLater().get()).isEqualTo(42);
        assertThat(runs).hasValue(4);
    }

    @Test
    void whenAllAttemptsOfAFutureFailThenItFails() {
        failures = 100;
        Stock stock = pair.connect(Stock.class, bean);

        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> stock.countLater().get())
                .withCauseInstanceOf(RdmaOverloadedException.class);
        assertThat(runs).hasValue(4);
    }

    @Test
    void whenAMethodIsNotIdempotentThenItIsTriedOnce() {
        failures = 1;
        Stock stock = pair.connect(Stock.class, bean);

        assertThatExceptionOfType(RdmaOverloadedException.class).isThrownBy(stock::take);
        assertThat(runs).hasValue(1);
    }

    @Test
    void whenTheFailureIsTheCallersFaultThenItIsTriedOnce() {
        failures = 1;
        failure = RpcStatus.INVALID_ARGUMENT;
        Stock stock = pair.connect(Stock.class, bean);

        assertThatExceptionOfType(RdmaRemoteException.class).isThrownBy(stock::count);
        assertThat(runs).hasValue(1);
    }

    @Test
    void whenNoSessionAcceptsAOneWayCallThenTheCallerGetsTheFailure() {
        Stock stock = pair.connect(Stock.class, bean);
        pair.channel.reachable = false;

        assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(stock::tell);
    }

    private static final RetryPolicy THRICE = new RetryPolicy(3, 1_000_000, 50_000_000);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    @Test
    void shouldDoubleThePauses() {
        RdmaRpcException away = new RdmaUnavailableException("away");

        assertThat(THRICE.pauseAfter(1, away, SECOND))
                .isBetween(Duration.ofNanos(500_000), Duration.ofNanos(1_500_000));
        assertThat(THRICE.pauseAfter(2, away, SECOND)).isBetween(Duration.ofMillis(1), Duration.ofMillis(3));
        assertThat(THRICE.pauseAfter(3, away, SECOND)).isNull();
    }

    @Test
    void shouldPauseForTheServersRetryAfter() {
        RdmaRpcException busy = new RdmaOverloadedException("busy", Duration.ofMillis(200));

        assertThat(THRICE.pauseAfter(1, busy, SECOND)).isEqualTo(Duration.ofMillis(200));
        assertThat(THRICE.pauseAfter(1, busy, SECOND / 10))
                .as("no time left for the pause")
                .isNull();
    }

    @Test
    void shouldRetryOnlyAfterTransientFailures() {
        assertThat(Stream.of(
                        new RdmaUnavailableException("away"),
                        new RdmaBackpressureException("full"),
                        new RdmaTimeoutException("late")))
                .allSatisfy(e -> assertThat(THRICE.pauseAfter(1, e, SECOND)).isNotNull());
        assertThat(Stream.of(RpcStatus.CANCELLED, RpcStatus.PERMISSION_DENIED, RpcStatus.INTERNAL))
                .allSatisfy(status -> assertThat(THRICE.pauseAfter(1, new RdmaRpcException(status, "no"), SECOND))
                        .isNull());
    }

    @Test
    void shouldLimitAnAttempt() {
        assertThat(THRICE.limit(SECOND)).isEqualTo(50_000_000);
        assertThat(THRICE.limit(1_000)).isEqualTo(1_000);
        assertThat(RetryPolicy.ONCE.limit(SECOND)).isEqualTo(SECOND);
    }

    @RdmaService
    interface Wrong {

        @RdmaMethod(oneWay = true)
        int result();

        @RdmaMethod(oneWay = true, idempotent = true)
        void tellAgain();

        @RdmaMethod(oneWay = true)
        void pour(Stream<String> words);

        @RdmaMethod(attemptTimeout = "1s")
        int once();

        @RdmaMethod(idempotent = true, attempts = -1)
        int never();

        @RdmaMethod(idempotent = true, backoff = "soon")
        int soon();

        @RdmaMethod(idempotent = true)
        Stream<String> stream();

        @RdmaMethod(timeout = "-1s")
        int negative();
    }

    @ParameterizedTest
    @ValueSource(strings = {"result", "tellAgain", "pour", "once", "never", "soon", "stream", "negative"})
    void whenSettingsConflictThenTheMethodIsNamed(String name) {
        ServiceDescription.of(Wrong.class).calls().stream()
                .filter(method -> method.name().equals(name))
                .forEach(method -> assertThatExceptionOfType(RdmaInvalidServiceException.class)
                        .isThrownBy(() -> MethodSettings.of(method))
                        .withMessageContaining("Wrong." + name));
    }
}
