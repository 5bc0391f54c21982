package io.rdmarpc.verbs.ibverbs.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("FL-17: polling of ports that are down")
class PortStatePollerTest {

    private static final String DEVICE = "test0";

    private final Set<Integer> active = new HashSet<>(Set.of(1, 2, 3));
    private final List<Integer> queried = new ArrayList<>();
    private final List<AsyncEvent> delivered = new ArrayList<>();
    private final PortStatePoller watch = new PortStatePoller(3, port -> {
        queried.add(port);
        return active.contains(port);
    });

    private boolean hear(AsyncEventType type, int port) {
        return watch.isDuplicate(AsyncEvent.ofPort(type, DEVICE, port));
    }

    private void lookAt(long now) {
        watch.deliverRecovered(now, DEVICE, delivered::add);
    }

    private static AsyncEvent activeAgain(int port) {
        return AsyncEvent.ofPort(AsyncEventType.PORT_ACTIVE, DEVICE, port);
    }

    @Test
    void whenAllPortsAreActiveThenNoneIsQueried() {
        watch.start();
        queried.clear();

        assertThat(watch.nanosToNextPoll(System.nanoTime())).isEqualTo(PortStatePoller.NEVER);
        lookAt(System.nanoTime() + PortStatePoller.NEVER - 1);
        assertThat(queried).isEmpty();
    }

    @Test
    void shouldQueryPortsThatAreDownEachSecond() {
        active.remove(2);
        watch.start();
        queried.clear();
        long now = System.nanoTime();
        assertThat(watch.nanosToNextPoll(now)).isBetween(0L, PortStatePoller.POLL_NANOS);

        lookAt(now);
        assertThat(queried).isEmpty();
        now += PortStatePoller.POLL_NANOS;
        lookAt(now);
        lookAt(now + 1);
        assertThat(queried).containsExactly(2);
        active.add(2);
        lookAt(now + PortStatePoller.POLL_NANOS);
        lookAt(now + 2 * PortStatePoller.POLL_NANOS);
        assertThat(queried).containsExactly(2, 2);
        assertThat(delivered).containsExactly(activeAgain(2));
    }

    @Test
    void shouldPassOnTheDevicesEvents() {
        watch.start();

        assertThat(hear(AsyncEventType.PORT_ERR, 1)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ACTIVE, 1)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ACTIVE, 1)).isFalse();
        lookAt(System.nanoTime() + 2 * PortStatePoller.POLL_NANOS);
        assertThat(delivered).isEmpty();
    }

    @Test
    void shouldDropOnlyOneLateEvent() {
        watch.start();
        hear(AsyncEventType.PORT_ERR, 3);
        lookAt(System.nanoTime() + 2 * PortStatePoller.POLL_NANOS);
        assertThat(delivered).containsExactly(activeAgain(3));

        assertThat(hear(AsyncEventType.PORT_ACTIVE, 3)).isTrue();
        assertThat(hear(AsyncEventType.PORT_ACTIVE, 3)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ERR, 3)).isFalse();
    }

    @Test
    void whenAQueryFailsThenThePortCountsAsDown() {
        PortStatePoller silent = new PortStatePoller(1, port -> {
            throw new RdmaVerbsException("ibv_query_port", DEVICE, Errno.EIO, "");
        });
        silent.start();
        silent.deliverRecovered(System.nanoTime() + 2 * PortStatePoller.POLL_NANOS, DEVICE, delivered::add);

        assertThat(delivered).isEmpty();
        assertThat(silent.nanosToNextPoll(System.nanoTime())).isLessThan(PortStatePoller.NEVER);
    }

    @Test
    void shouldIgnoreUnknownPorts() {
        watch.start();

        assertThat(hear(AsyncEventType.PORT_ERR, 4)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ERR, 0)).isFalse();
        assertThat(watch.nanosToNextPoll(System.nanoTime())).isEqualTo(PortStatePoller.NEVER);
    }
}
