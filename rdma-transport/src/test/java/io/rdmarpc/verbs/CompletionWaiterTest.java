package io.rdmarpc.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Tests the order of arming, polling and sleeping with scripted queues and a scripted channel. */
@DisplayName("FL-13: a wait for completions")
class CompletionWaiterTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final List<String> calls = new ArrayList<>();
    private final WorkCompletions into = WorkCompletions.allocate(Arena.ofAuto(), 4);
    private final ScriptedChannel channel = new ScriptedChannel();
    private final ScriptedQueue a = new ScriptedQueue("a");
    private final ScriptedQueue b = new ScriptedQueue("b");

    /** Returns the scripted results, then 0. */
    private final class ScriptedQueue implements CompletionQueue {
        private final String name;
        private final Queue<Integer> polls = new ArrayDeque<>();
        private int armErrno;
        private @Nullable CompletionChannel on = channel;

        private ScriptedQueue(String name) {
            this.name = name;
        }

        @Override
        public int poll(WorkCompletions ignored, int max) {
            calls.add("poll " + name);
            return polls.isEmpty() ? 0 : polls.remove();
        }

        @Override
        public int requestNotification(boolean solicitedOnly) {
            calls.add("arm " + name);
            return armErrno;
        }

        @Override
        public @Nullable CompletionChannel channel() {
            return on;
        }

        @Override
        public int capacity() {
            return 4;
        }

        @Override
        public void close() {}
    }

    private final class ScriptedChannel implements CompletionChannel {
        private final Deque<Integer> events = new ArrayDeque<>();
        private final List<Duration> timeouts = new ArrayList<>();

        @Override
        public int await(Duration timeout) {
            calls.add("sleep");
            timeouts.add(timeout);
            return events.isEmpty() ? 0 : events.remove();
        }

        @Override
        public void wakeUp() {
            calls.add("wake");
        }

        @Override
        public void close() {}
    }

    @Test
    void shouldReturnPresentCompletionsWithoutArming() {
        a.polls.add(3);

        assertThat(CompletionWaiter.of(a).poll(into, 4, TIMEOUT)).isEqualTo(3);
        assertThat(calls).containsExactly("poll a");
    }

    @Test
    void shouldPollAgainAfterArming() {
        a.polls.addAll(List.of(0, 2));

        assertThat(CompletionWaiter.of(a).poll(into, 4, TIMEOUT)).isEqualTo(2);
        assertThat(calls).containsExactly("poll a", "arm a", "poll a");
    }

    @Test
    void shouldSleepAndReturnTheCompletionThatWokeIt() {
        a.polls.addAll(List.of(0, 0, 1));
        channel.events.add(1);

        assertThat(CompletionWaiter.of(a).poll(into, 4, TIMEOUT)).isEqualTo(1);
        assertThat(calls).containsExactly("poll a", "arm a", "poll a", "sleep", "poll a");
        assertThat(channel.timeouts.getFirst()).isSameAs(TIMEOUT);
    }

    @Test
    void shouldArmAgainAfterAnEventWhoseCompletionsWerePolledBefore() {
        a.polls.addAll(List.of(0, 0, 0, 0, 1));
        channel.events.addAll(List.of(1, 1));

        assertThat(CompletionWaiter.of(a).poll(into, 4, TIMEOUT)).isEqualTo(1);
        assertThat(calls)
                .containsExactly("poll a", "arm a", "poll a", "sleep", "poll a", "arm a", "poll a", "sleep", "poll a");
        assertThat(channel.timeouts.get(1)).isLessThan(TIMEOUT).isPositive();
    }

    @Test
    void shouldPollOnceMoreAfterTheTimeOut() {
        assertThat(CompletionWaiter.of(a).poll(into, 4, TIMEOUT)).isZero();
        assertThat(calls).containsExactly("poll a", "arm a", "poll a", "sleep", "poll a");
    }

    @Test
    void shouldNotSleepWithATimeOutOfZero() {
        assertThat(CompletionWaiter.of(a).poll(into, 4, Duration.ZERO)).isZero();
        assertThat(calls).containsExactly("poll a");
    }

    @Test
    void shouldArmAllQueuesAndPollThemRoundRobin() {
        CompletionWaiter waiter = CompletionWaiter.of(a, b);
        a.polls.addAll(List.of(1, 1));
        b.polls.addAll(List.of(1));

        assertThat(waiter.poll(into, 4, TIMEOUT)).isEqualTo(1);
        assertThat(waiter.poll(into, 4, TIMEOUT)).isEqualTo(1);
        assertThat(calls).containsExactly("poll a", "poll b");
        calls.clear();
        a.polls.clear();
        waiter.poll(into, 4, TIMEOUT);
        assertThat(calls)
                .containsExactly("poll a", "poll b", "arm a", "arm b", "poll a", "poll b", "sleep", "poll a", "poll b");
    }

    @Test
    void shouldReturnErrorsOfQueues() {
        a.polls.add(-Errno.EIO);
        assertThat(CompletionWaiter.of(a).poll(into, 4, TIMEOUT)).isEqualTo(-Errno.EIO);

        b.armErrno = Errno.EINVAL;
        assertThat(CompletionWaiter.of(b).poll(into, 4, TIMEOUT)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void shouldWakeThroughItsChannel() {
        CompletionWaiter.of(a).wakeUp();

        assertThat(calls).containsExactly("wake");
    }

    @Test
    void shouldRejectQueuesOfDifferentChannels() {
        assertThatIllegalArgumentException()
                .isThrownBy(CompletionWaiter::of)
                .withMessageContaining("needs a completion queue");
        b.on = new ScriptedChannel();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CompletionWaiter.of(a, b))
                .withMessageContaining("different channels");
        a.on = null;
        assertThatIllegalArgumentException().isThrownBy(() -> CompletionWaiter.of(a));
    }
}
