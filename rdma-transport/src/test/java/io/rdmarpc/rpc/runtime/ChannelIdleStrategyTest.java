package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.IdleStrategy;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A loop that sleeps on a completion channel")
class ChannelIdleStrategyTest {

    private static final int YIELDS = 3;
    private static final Duration SHORT_SLEEP = Duration.ofMillis(1);

    private final List<String> calls = new ArrayList<>();
    private int events;
    private int armErrno;
    private boolean hasWork;
    private boolean needsTime;
    private boolean broken;
    private boolean holds;
    private boolean heldInSleep;
    private long nanos;
    private long othersNanos;

    private final CompletionChannel channel = new CompletionChannel() {
        @Override
        public int await(Duration timeout) {
            if (broken) {
                throw new RdmaVerbsException("ibv_get_cq_event", "fake", Errno.EBUSY, "Another thread waits");
            }
            calls.add("sleep " + timeout.toMillis());
            // A producer that publishes now finds the loop asleep.
            heldInSleep = strategy().holdSleep();
            strategy().wake();
            return events;
        }

        @Override
        public boolean holdEvents() {
            return holds;
        }

        @Override
        public void releaseEvents() {
            calls.add("release");
        }

        @Override
        public void wakeUp() {
            calls.add("wake");
        }

        @Override
        public void close() {}
    };

    private final IdleStrategy backoff = new IdleStrategy() {
        @Override
        public void idle(int workCount) {
            calls.add("backoff " + workCount);
        }

        @Override
        public void wake() {
            calls.add("wake backoff");
        }
    };

    private final ChannelIdleStrategy strategy = strategy(YIELDS);

    private ChannelIdleStrategy strategy(int yields) {
        return new ChannelIdleStrategy(
                channel,
                this::arm,
                () -> hasWork,
                () -> needsTime,
                yields,
                SHORT_SLEEP,
                new YieldBackoff(() -> nanos, () -> nanos += othersNanos),
                backoff);
    }

    private ChannelIdleStrategy strategy() {
        return strategy;
    }

    private int arm() {
        calls.add("arm");
        return armErrno;
    }

    private void idleCycles(int count) {
        for (int i = 0; i < count; i++) {
            strategy.idle(0);
        }
    }

    @Test
    void shouldPollForAWhileThenArmThenPollOnceMoreThenSleep() {
        idleCycles(YIELDS);
        assertThat(calls).isEmpty();
        idleCycles(1);
        assertThat(calls).containsExactly("arm");
        idleCycles(1);
        assertThat(calls).containsExactly("arm", "sleep 250", "wake");
    }

    @Test
    void shouldArmAgainOnlyAfterAnEvent() {
        idleCycles(YIELDS + 3);
        assertThat(calls).containsExactly("arm", "sleep 250", "wake", "sleep 250", "wake");
        calls.clear();
        events = 1;
        idleCycles(3);
        assertThat(calls).containsExactly("sleep 250", "wake", "arm", "sleep 250", "wake");
    }

    @Test
    void whenThereIsWorkThenItStartsOver() {
        idleCycles(YIELDS + 1);
        calls.clear();
        strategy.idle(1);
        idleCycles(YIELDS);
        assertThat(calls).isEmpty();
        idleCycles(1);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void whenWorkWasPublishedThenItDoesNotSleep() {
        idleCycles(YIELDS + 1);
        hasWork = true;
        idleCycles(1);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void whenItSleepsThenItsEventsCanBeHeld() {
        holds = true;
        assertThat(strategy.holdSleep()).as("awake").isFalse();
        idleCycles(YIELDS + 2);

        assertThat(heldInSleep).isTrue();
        strategy.releaseSleep();
        assertThat(calls).endsWith("release");
    }

    @Test
    void whenTheChannelCannotHoldEventsThenItsSleepCannotBeHeld() {
        idleCycles(YIELDS + 2);

        assertThat(heldInSleep).isFalse();
    }

    @Test
    void whenThereIsTimeDependentWorkThenItSleepsBriefly() {
        needsTime = true;
        idleCycles(YIELDS + 2);
        assertThat(calls).containsExactly("arm", "sleep 1", "wake");
    }

    @Test
    void whenItIsAwakeThenItIsNotWoken() {
        strategy.wake();
        idleCycles(YIELDS + 1);
        strategy.wake();
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void whenTheQueuesMakeNoEventsThenItBacksOff() {
        armErrno = Errno.EINVAL;
        idleCycles(YIELDS + 1);
        strategy.idle(0);
        strategy.wake();
        assertThat(calls).containsExactly("arm", "backoff 0", "wake backoff");
    }

    @Test
    void whenTheChannelFailsThenItBacksOff() {
        broken = true;
        idleCycles(YIELDS + 2);
        strategy.idle(0);
        assertThat(calls).containsExactly("arm", "backoff 0");
    }

    private static void idleCycles(ChannelIdleStrategy loop, int count) {
        for (int i = 0; i < count; i++) {
            loop.idle(0);
        }
    }

    /** Creates a loop that has failed to find work by spinning, and whose first yield took long. */
    private ChannelIdleStrategy contended() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.CYCLES);
        idleCycles(patient, SpinBudget.CYCLES);
        othersNanos = YieldBackoff.LONG_NANOS;
        idleCycles(patient, 1);
        return patient;
    }

    @Test
    void whenAYieldTookLongThenItSleepsInsteadOfAnotherYield() {
        idleCycles(contended(), 1);
        assertThat(nanos).isEqualTo(YieldBackoff.LONG_NANOS);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void whenTheCoreIsContendedThenItRunsAFewCyclesBeforeItSleeps() {
        ChannelIdleStrategy patient = contended();
        patient.idle(1);
        idleCycles(patient, ChannelIdleStrategy.CONTENDED_CYCLES);
        assertThat(calls).isEmpty();
        idleCycles(patient, 1);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void whenTheCoreWasFreeForAWhileThenItYieldsAgain() {
        ChannelIdleStrategy patient = contended();
        patient.idle(1);
        nanos += YieldBackoff.FIRST_NANOS;
        othersNanos = 1;
        long before = nanos;
        idleCycles(patient, 2 * SpinBudget.CYCLES);
        assertThat(nanos - before).isPositive();
        assertThat(calls).isEmpty();
    }

    @Test
    void whileItSpinsThenCyclesPollSeveralTimes() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.CYCLES);
        idleCycles(patient, SpinBudget.CYCLES - 1);
        assertThat(patient.spins()).isTrue();
    }

    @Test
    void whileItYieldsThenNoCyclePollsSeveralTimes() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.CYCLES);
        idleCycles(patient, SpinBudget.CYCLES);
        assertThat(patient.spins()).isFalse();
    }

    @Test
    void whenThereWasWorkThenCyclesPollSeveralTimesAgain() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.CYCLES);
        idleCycles(patient, SpinBudget.CYCLES);
        patient.idle(1);
        assertThat(patient.spins()).isTrue();
    }

    @Test
    void whenTheCoreIsContendedThenNoCyclePollsSeveralTimes() {
        ChannelIdleStrategy patient = contended();
        patient.idle(1);
        assertThat(patient.spins()).isFalse();
    }
}
