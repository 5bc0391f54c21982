package io.rdmarpc.service.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.MethodObserver;
import io.rdmarpc.service.ServerAddress;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MicrometerCallObserverTest {

    private static final ServerAddress ADDRESS = new ServerAddress("shop.example.com", 7471);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final MicrometerCallObserver observer = new MicrometerCallObserver(registry);

    private List<Tag> tags(String meter) {
        return registry.get(meter).timer().getId().getTags();
    }

    @Test
    void shouldAddUpDurationsOfAMethod() {
        MethodObserver method = observer.client("shop.Cart", "buy", "main", ADDRESS);
        method.onEnd(RpcStatus.OK, null, 3000);
        method.onEnd(RpcStatus.OK, null, 5000);

        Timer timer = registry.get("rpc.client.call.duration").timer();

        assertThat(timer.count()).isEqualTo(2);
        assertThat(timer.totalTime(TimeUnit.NANOSECONDS)).isEqualTo(8000);
    }

    @Test
    void shouldTagCallsOfAClientByTheConvention() {
        observer.client("shop.Cart", "buy", "main", ADDRESS).onEnd(RpcStatus.OK, null, 1);

        assertThat(tags("rpc.client.call.duration"))
                .containsExactlyInAnyOrder(
                        Tag.of("rpc.system.name", "rdmarpc"),
                        Tag.of("rpc.method", "shop.Cart/buy"),
                        Tag.of("rpc.status_code", "OK"),
                        Tag.of("rdma.target", "main"),
                        Tag.of("server.address", "shop.example.com"),
                        Tag.of("server.port", "7471"));
    }

    @Test
    void whenTheAddressHasNoPortThenThePortTagIsOmitted() {
        observer.client("shop.Cart", "buy", "main", ServerAddress.of("lb://shop"))
                .onEnd(RpcStatus.OK, null, 1);

        assertThat(tags("rpc.client.call.duration"))
                .contains(Tag.of("server.address", "lb://shop"))
                .extracting(Tag::getKey)
                .doesNotContain("server.port");
    }

    @Test
    void shouldTagCallsOfAServerByTheConvention() {
        observer.server("shop.Cart", "buy").onEnd(RpcStatus.OK, null, 1);

        assertThat(tags("rpc.server.call.duration"))
                .containsExactlyInAnyOrder(
                        Tag.of("rpc.system.name", "rdmarpc"),
                        Tag.of("rpc.method", "shop.Cart/buy"),
                        Tag.of("rpc.status_code", "OK"));
    }

    @Test
    void whenACallFailsThenTheErrorTypeIsItsStatus() {
        observer.client("shop.Cart", "buy", "main", ADDRESS)
                .onEnd(RpcStatus.DEADLINE_EXCEEDED, new RdmaTimeoutException("x"), 1);

        assertThat(tags("rpc.client.call.duration"))
                .contains(Tag.of("rpc.status_code", "DEADLINE_EXCEEDED"), Tag.of("error.type", "DEADLINE_EXCEEDED"));
    }

    @ParameterizedTest
    @EnumSource(RpcStatus.class)
    void shouldCountEachStatusAlone(RpcStatus status) {
        MethodObserver method = observer.server("shop.Cart", "buy");
        EnumSet.allOf(RpcStatus.class).forEach(each -> method.onEnd(each, null, 1));

        assertThat(registry.get("rpc.server.call.duration")
                        .tag("rpc.status_code", status.name())
                        .timer()
                        .count())
                .isOne();
    }

    @Test
    void shouldUseTheTagKeysOfTheList() {
        observer.client("shop.Cart", "buy", "main", ADDRESS).onEnd(RpcStatus.INTERNAL, null, 1);
        observer.server("shop.Cart", "buy").onEnd(RpcStatus.INTERNAL, null, 1);

        for (RdmaMeter meter : Set.of(RdmaMeter.CLIENT_CALLS, RdmaMeter.SERVER_CALLS)) {
            assertThat(tags(meter.meterName()))
                    .extracting(Tag::getKey)
                    .containsExactlyInAnyOrderElementsOf(meter.tags());
        }
    }

    @Test
    void shouldListEveryTimer() {
        assertThat(Arrays.stream(RdmaMeter.values()).filter(meter -> meter.kind() == RdmaMeter.Kind.TIMER))
                .containsExactly(RdmaMeter.CLIENT_CALLS, RdmaMeter.SERVER_CALLS);
    }
}
