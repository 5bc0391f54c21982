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
    private long nanos;
    private long othersNanos;

    private final CompletionChannel channel = new CompletionChannel() {
        @Override
        public int await(Duration timeout) {
            if (broken) {
                throw new RdmaVerbsException("ibv_get_cq_event", "fake", Errno.EBUSY, "Another thread waits");
            }
            calls.add("sleep " + timeout.toMillis());
            // Who has something for the loop now finds it asleep.
            strategy().wake();
            return events;
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

    private void idleTurns(int count) {
        for (int i = 0; i < count; i++) {
            strategy.idle(0);
        }
    }

    @Test
    void pollsForAWhileThenArmsThenPollsOnceMoreThenSleeps() {
        idleTurns(YIELDS);
        assertThat(calls).isEmpty();
        idleTurns(1);
        assertThat(calls).containsExactly("arm");
        idleTurns(1);
        assertThat(calls).containsExactly("arm", "sleep 250", "wake");
    }

    @Test
    void armsAgainOnlyAfterAnEvent() {
        idleTurns(YIELDS + 3);
        assertThat(calls).containsExactly("arm", "sleep 250", "wake", "sleep 250", "wake");
        calls.clear();
        events = 1;
        idleTurns(3);
        assertThat(calls).containsExactly("sleep 250", "wake", "arm", "sleep 250", "wake");
    }

    @Test
    void startsOverWhenThereIsWork() {
        idleTurns(YIELDS + 1);
        calls.clear();
        strategy.idle(1);
        idleTurns(YIELDS);
        assertThat(calls).isEmpty();
        idleTurns(1);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void doesNotSleepWhenSomethingWasPublished() {
        idleTurns(YIELDS + 1);
        hasWork = true;
        idleTurns(1);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void sleepsBrieflyWhileSomethingIsDueByTime() {
        needsTime = true;
        idleTurns(YIELDS + 2);
        assertThat(calls).containsExactly("arm", "sleep 1", "wake");
    }

    @Test
    void isNotWokenWhileItIsAwake() {
        strategy.wake();
        idleTurns(YIELDS + 1);
        strategy.wake();
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void backsOffWhereTheQueuesMakeNoEvents() {
        armErrno = Errno.EINVAL;
        idleTurns(YIELDS + 1);
        strategy.idle(0);
        strategy.wake();
        assertThat(calls).containsExactly("arm", "backoff 0", "wake backoff");
    }

    @Test
    void backsOffWhereTheChannelFails() {
        broken = true;
        idleTurns(YIELDS + 2);
        strategy.idle(0);
        assertThat(calls).containsExactly("arm", "backoff 0");
    }

    private static void idleTurns(ChannelIdleStrategy loop, int count) {
        for (int i = 0; i < count; i++) {
            loop.idle(0);
        }
    }

    /** A loop that has spun in vain, and whose first offer was taken for long. */
    private ChannelIdleStrategy crowded() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.TURNS);
        idleTurns(patient, SpinBudget.TURNS);
        othersNanos = YieldBackoff.LONG_NANOS;
        idleTurns(patient, 1);
        return patient;
    }

    @Test
    void sleepsInsteadOfAnotherOfferWhenOneWasTakenForLong() {
        idleTurns(crowded(), 1);
        assertThat(nanos).isEqualTo(YieldBackoff.LONG_NANOS);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void turnsAFewTimesBeforeItSleepsWhereOthersWantTheCore() {
        ChannelIdleStrategy patient = crowded();
        patient.idle(1);
        idleTurns(patient, ChannelIdleStrategy.CONTENDED_CYCLES);
        assertThat(calls).isEmpty();
        idleTurns(patient, 1);
        assertThat(calls).containsExactly("arm");
    }

    @Test
    void offersAgainWhenTheCoreWasFreeForAWhile() {
        ChannelIdleStrategy patient = crowded();
        patient.idle(1);
        nanos += YieldBackoff.FIRST_NANOS;
        othersNanos = 1;
        long before = nanos;
        idleTurns(patient, 2 * SpinBudget.TURNS);
        assertThat(nanos - before).isPositive();
        assertThat(calls).isEmpty();
    }

    @Test
    void letsTurnsLookSeveralTimesWhileItSpins() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.TURNS);
        idleTurns(patient, SpinBudget.TURNS - 1);
        assertThat(patient.spins()).isTrue();
    }

    @Test
    void letsNoTurnLookSeveralTimesWhileItOffersTheCore() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.TURNS);
        idleTurns(patient, SpinBudget.TURNS);
        assertThat(patient.spins()).isFalse();
    }

    @Test
    void letsTurnsLookSeveralTimesAgainAfterWork() {
        ChannelIdleStrategy patient = strategy(10 * SpinBudget.TURNS);
        idleTurns(patient, SpinBudget.TURNS);
        patient.idle(1);
        assertThat(patient.spins()).isTrue();
    }

    @Test
    void letsNoTurnLookSeveralTimesWhereOthersWantTheCore() {
        ChannelIdleStrategy patient = crowded();
        patient.idle(1);
        assertThat(patient.spins()).isFalse();
    }
}
