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

@DisplayName("FL-17: the watch over ports that are down")
class PortStatePollerTest {

    private static final String DEVICE = "test0";

    private final Set<Integer> active = new HashSet<>(Set.of(1, 2, 3));
    private final List<Integer> asked = new ArrayList<>();
    private final List<AsyncEvent> told = new ArrayList<>();
    private final PortStatePoller watch = new PortStatePoller(3, port -> {
        asked.add(port);
        return active.contains(port);
    });

    private boolean hear(AsyncEventType type, int port) {
        return watch.isOldNews(AsyncEvent.ofPort(type, DEVICE, port));
    }

    private void lookAt(long now) {
        watch.tellRecovered(now, DEVICE, told::add);
    }

    private static AsyncEvent activeAgain(int port) {
        return AsyncEvent.ofPort(AsyncEventType.PORT_ACTIVE, DEVICE, port);
    }

    @Test
    void asksNothingWhileAllAreActive() {
        watch.start();
        asked.clear();

        assertThat(watch.nanosToNextLook(System.nanoTime())).isEqualTo(PortStatePoller.NEVER);
        lookAt(System.nanoTime() + PortStatePoller.NEVER - 1);
        assertThat(asked).isEmpty();
    }

    @Test
    void asksEachSecondForThoseThatWereDownFromTheStart() {
        active.remove(2);
        watch.start();
        asked.clear();
        long now = System.nanoTime();
        assertThat(watch.nanosToNextLook(now)).isBetween(0L, PortStatePoller.LOOK_NANOS);

        lookAt(now);
        assertThat(asked).isEmpty();
        now += PortStatePoller.LOOK_NANOS;
        lookAt(now);
        lookAt(now + 1);
        assertThat(asked).containsExactly(2);
        active.add(2);
        lookAt(now + PortStatePoller.LOOK_NANOS);
        lookAt(now + 2 * PortStatePoller.LOOK_NANOS);
        assertThat(asked).containsExactly(2, 2);
        assertThat(told).containsExactly(activeAgain(2));
    }

    @Test
    void leavesTheDevicesOwnEventsAlone() {
        watch.start();

        assertThat(hear(AsyncEventType.PORT_ERR, 1)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ACTIVE, 1)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ACTIVE, 1)).isFalse();
        lookAt(System.nanoTime() + 2 * PortStatePoller.LOOK_NANOS);
        assertThat(told).isEmpty();
    }

    @Test
    void dropsOnlyTheOneLateEvent() {
        watch.start();
        hear(AsyncEventType.PORT_ERR, 3);
        lookAt(System.nanoTime() + 2 * PortStatePoller.LOOK_NANOS);
        assertThat(told).containsExactly(activeAgain(3));

        assertThat(hear(AsyncEventType.PORT_ACTIVE, 3)).isTrue();
        assertThat(hear(AsyncEventType.PORT_ACTIVE, 3)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ERR, 3)).isFalse();
    }

    @Test
    void takesAPortThatDoesNotAnswerForOneThatIsDown() {
        PortStatePoller silent = new PortStatePoller(1, port -> {
            throw new RdmaVerbsException("ibv_query_port", DEVICE, Errno.EIO, "");
        });
        silent.start();
        silent.tellRecovered(System.nanoTime() + 2 * PortStatePoller.LOOK_NANOS, DEVICE, told::add);

        assertThat(told).isEmpty();
        assertThat(silent.nanosToNextLook(System.nanoTime())).isLessThan(PortStatePoller.NEVER);
    }

    @Test
    void ignoresPortsThatThereAreNot() {
        watch.start();

        assertThat(hear(AsyncEventType.PORT_ERR, 4)).isFalse();
        assertThat(hear(AsyncEventType.PORT_ERR, 0)).isFalse();
        assertThat(watch.nanosToNextLook(System.nanoTime())).isEqualTo(PortStatePoller.NEVER);
    }
}
