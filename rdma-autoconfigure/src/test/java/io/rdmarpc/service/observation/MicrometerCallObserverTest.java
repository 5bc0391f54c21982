package io.rdmarpc.service.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.MethodObserver;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MicrometerCallObserverTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerCallObserver observer = new MicrometerCallObserver(registry);

    @Test
    void clientCallsAreTimed() {
        MethodObserver method = observer.client("shop", "buy", "main");
        method.onEnd(RpcStatus.OK, null, 3000);
        method.onEnd(RpcStatus.OK, null, 5000);
        Timer timer = registry.get("rdma.client.requests")
                .tags(
                        "rpc.system", "rdma",
                        "rpc.service", "shop",
                        "rpc.method", "buy",
                        "rdma.target", "main",
                        "outcome", "SUCCESS",
                        "rdma.status", "OK",
                        "exception", "none")
                .timer();
        assertThat(timer.count()).isEqualTo(2);
        assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(8000);
    }

    @Test
    void serverCallsAreTimedWithTheSameKeysWhateverTheEnd() {
        MethodObserver method = observer.server("shop", "buy");
        method.onEnd(RpcStatus.OK, null, 1);
        method.onEnd(RpcStatus.HANDLER_FAILED, new IllegalStateException("x"), 1);
        method.onEnd(RpcStatus.BACKPRESSURE, null, 1);
        assertThat(registry.get("rdma.server.requests").timers())
                .hasSize(3)
                .allSatisfy(timer -> assertThat(timer.getId().getTags())
                        .extracting(Tag::getKey)
                        .containsExactlyInAnyOrder(
                                "rpc.system", "rpc.service", "rpc.method", "outcome", "rdma.status", "exception"));
        assertThat(registry.get("rdma.server.requests")
                        .tags("outcome", "SERVER_ERROR", "exception", "IllegalStateException")
                        .timer()
                        .count())
                .isOne();
    }

    @Test
    void timeOutsAreTheirOwnOutcome() {
        observer.client("shop", "buy", "main").onEnd(RpcStatus.DEADLINE_EXCEEDED, new RdmaTimeoutException("x"), 1);
        assertThat(registry.get("rdma.client.requests")
                        .tags(List.of(Tag.of("outcome", "TIMEOUT"), Tag.of("exception", "RdmaTimeoutException")))
                        .timer()
                        .count())
                .isOne();
    }

    @Test
    void anAnonymousExceptionHasAName() {
        RuntimeException anonymous = new RuntimeException("x") {};
        observer.server("shop", "buy").onEnd(RpcStatus.HANDLER_FAILED, anonymous, 1);
        assertThat(registry.get("rdma.server.requests").timer().getId().getTag("exception"))
                .isEqualTo(anonymous.getClass().getName());
    }

    @ParameterizedTest
    @EnumSource(RpcStatus.class)
    void everyStatusHasAnOutcome(RpcStatus status) {
        assertThat(Outcome.of(status)).isNotNull();
    }
}
