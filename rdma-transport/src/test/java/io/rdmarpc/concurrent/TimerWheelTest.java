package io.rdmarpc.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("LO-13 timer wheel")
class TimerWheelTest {

    private static final int TICK_SHIFT = 4;
    private static final int TICK = 1 << TICK_SHIFT;
    private static final int BUCKETS = 8;
    private static final long START = 1_000_000;

    private final List<Throwable> thrown = new ArrayList<>();
    private final TimerWheel wheel = new TimerWheel(TICK_SHIFT, BUCKETS, START, thrown::add);
    private final List<Recorded> called = new ArrayList<>();

    private class Recorded extends WheelTimer {

        long calledAt = Long.MIN_VALUE;
        int calls;

        @Override
        protected void onDue(long nowNanos) {
            calledAt = nowNanos;
            calls++;
            called.add(this);
        }
    }

    private Recorded armed(long dueNanos) {
        Recorded timer = new Recorded();
        wheel.arm(timer, dueNanos);
        return timer;
    }

    @Test
    void whenTheTimeHasComeThenATimerIsCalledOnce() {
        Recorded timer = armed(START + 3 * TICK);

        assertThat(wheel.advance(START + 3 * TICK - 1)).isZero();
        assertThat(wheel.advance(START + 3 * TICK)).isEqualTo(1);
        assertThat(wheel.advance(START + 100 * TICK)).isZero();

        assertThat(timer.calls).isEqualTo(1);
        assertThat(timer.isArmed()).isFalse();
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void whenItIsDueInTheMiddleOfATickThenItIsNeverEarly() {
        Recorded timer = armed(START + 3 * TICK + 5);

        wheel.advance(START + 3 * TICK + 4);
        assertThat(timer.calls).isZero();
        wheel.advance(START + 4 * TICK);

        assertThat(timer.calls).isEqualTo(1);
    }

    @Test
    void whenTheTimeHasAlreadyPassedThenItIsDueAtTheNextTick() {
        wheel.advance(START + 10 * TICK);
        Recorded timer = armed(START + 2 * TICK);

        wheel.advance(START + 10 * TICK + 1);
        assertThat(timer.calls).isZero();
        wheel.advance(START + 11 * TICK);

        assertThat(timer.calls).isEqualTo(1);
    }

    @Test
    void whenItIsMoreThanARoundAwayThenItWaitsForItsRound() {
        long due = START + 3L * BUCKETS * TICK + 2 * TICK;
        Recorded timer = armed(due);

        for (long now = START; now < due; now += TICK) {
            wheel.advance(now);
            assertThat(timer.calls).isZero();
        }
        wheel.advance(due);

        assertThat(timer.calls).isEqualTo(1);
    }

    @Test
    void whenTheWheelAdvancesAfterManyRoundsThenAllDueTimersAreCalled() {
        List<Recorded> timers = new ArrayList<>();
        for (int i = 1; i <= 5 * BUCKETS; i++) {
            timers.add(armed(START + (long) i * TICK));
        }

        assertThat(wheel.advance(START + 4L * BUCKETS * TICK)).isEqualTo(4 * BUCKETS);
        assertThat(wheel.advance(START + 5L * BUCKETS * TICK)).isEqualTo(BUCKETS);

        assertThat(timers).allMatch(timer -> timer.calls == 1);
    }

    @Test
    void whenCancelledThenItIsNotCalled() {
        Recorded timer = armed(START + TICK);
        Recorded neighbour = armed(START + TICK);

        wheel.cancel(timer);
        wheel.cancel(timer);
        wheel.advance(START + 2 * TICK);

        assertThat(called).containsExactly(neighbour);
        assertThat(wheel.size()).isZero();
    }

    @Test
    void whenArmedAgainThenOnlyTheLastTimeCounts() {
        Recorded timer = armed(START + TICK);

        wheel.arm(timer, START + 5 * TICK);
        wheel.advance(START + 4 * TICK);
        assertThat(timer.calls).isZero();
        wheel.advance(START + 5 * TICK);

        assertThat(timer.calls).isEqualTo(1);
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void whenArmedByALaterTimeThenTheEarlierOneStays() {
        Recorded timer = armed(START + 2 * TICK);

        wheel.armBy(timer, START + 6 * TICK);
        assertThat(timer.dueNanos()).isEqualTo(START + 2 * TICK);
        wheel.armBy(timer, START + TICK);
        wheel.advance(START + TICK);

        assertThat(timer.calls).isEqualTo(1);
    }

    @Test
    void whenATimerCancelsAnotherThatIsDueAtTheSameTimeThenTheOtherIsNotCalled() {
        Recorded second = new Recorded();
        Recorded first = new Recorded() {
            @Override
            protected void onDue(long nowNanos) {
                super.onDue(nowNanos);
                wheel.cancel(second);
            }
        };
        wheel.arm(first, START + TICK);
        wheel.arm(second, START + TICK);
        Recorded third = armed(START + TICK);

        wheel.advance(START + TICK);

        assertThat(called).containsExactly(first, third);
        assertThat(wheel.isEmpty()).isTrue();
    }

    @Test
    void whenATimerArmsItselfForNowThenItIsCalledByALaterAdvance() {
        Recorded timer = new Recorded() {
            @Override
            protected void onDue(long nowNanos) {
                super.onDue(nowNanos);
                wheel.arm(this, nowNanos);
            }
        };
        wheel.arm(timer, START + TICK);

        assertThat(wheel.advance(START + TICK)).isEqualTo(1);
        assertThat(wheel.advance(START + 2 * TICK)).isEqualTo(1);
        assertThat(wheel.advance(START + 3 * TICK)).isEqualTo(1);
    }

    @Test
    void whenTheClockWrapsAroundThenTimersBeforeAndAfterAreCalledInTime() {
        long start = Long.MAX_VALUE - 3 * TICK;
        TimerWheel wrapping = new TimerWheel(TICK_SHIFT, BUCKETS, start, thrown::add);
        Recorded before = new Recorded();
        Recorded after = new Recorded();
        wrapping.arm(before, start + 2 * TICK);
        wrapping.arm(after, start + 6 * TICK);

        wrapping.advance(start + 2 * TICK);
        assertThat(called).containsExactly(before);
        wrapping.advance(start + 5 * TICK);
        assertThat(called).containsExactly(before);
        wrapping.advance(start + 6 * TICK);

        assertThat(called).containsExactly(before, after);
    }

    @Test
    void whenTheTimeIsTheLatestPossibleThenItNeitherFiresNorMovesEachTick() {
        long now = START + 5 * TICK;
        wheel.advance(now);
        Recorded timer = armed(now + Long.MAX_VALUE);

        for (int tick = 6; tick < 10 * BUCKETS; tick++) {
            assertThat(wheel.advance(START + (long) tick * TICK)).isZero();
        }

        assertThat(timer.calls).isZero();
        assertThat(timer.isArmed()).isTrue();
    }

    @Test
    void whenTimersAreArmedAtARateThenTheyAreCalledAtThatRate() {
        int perTick = 3;
        long ticks = 4L * BUCKETS;
        for (int i = 0; i < ticks * perTick; i++) {
            armed(START + TICK + (long) i * TICK / perTick);
        }

        for (long tick = 1; tick <= ticks; tick++) {
            assertThat(wheel.advance(START + tick * TICK + TICK - 1)).isEqualTo(perTick);
        }
    }

    @Test
    void whenManyAreArmedMovedAndCancelledThenEachIsCalledInTimeOrNotAtAll() {
        SplittableRandom random = new SplittableRandom(42);
        List<Recorded> timers = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            timers.add(new Recorded());
        }
        long now = START;
        for (int step = 0; step < 20_000; step++) {
            Recorded timer = timers.get(random.nextInt(timers.size()));
            if (random.nextInt(4) == 0) {
                wheel.cancel(timer);
            } else {
                wheel.arm(timer, now + random.nextInt(-TICK, 4 * BUCKETS * TICK));
            }
            now += random.nextInt(TICK);
            called.clear();
            wheel.advance(now);
            for (Recorded due : called) {
                assertThat(due.calledAt - due.dueNanos()).isBetween(0L, 3L * TICK);
            }
        }
        long armed = timers.stream().filter(WheelTimer::isArmed).count();
        assertThat(wheel.size()).isEqualTo((int) armed);
        assertThat(wheel.advance(now + 5L * BUCKETS * TICK)).isEqualTo((int) armed);
    }

    @Test
    void whenTheNumberOfBucketsIsNoPowerOfTwoThenItIsRejected() {
        assertThatThrownBy(() -> new TimerWheel(4, 12, 0, thrown::add)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @DisplayName("calls the other timers if one throws, and that one again later")
    void whenATimerThrowsThenTheOthersAreCalledAndItIsRetried() {
        int[] calls = new int[1];
        WheelTimer throwing = new WheelTimer() {
            @Override
            protected void onDue(long nowNanos) {
                if (++calls[0] == 1) {
                    throw new StackOverflowError("on purpose");
                }
            }
        };
        wheel.arm(throwing, START + TICK);
        Recorded neighbour = armed(START + TICK);

        wheel.advance(START + 2 * TICK);
        assertThat(neighbour.calls).isOne();
        assertThat(thrown).hasSize(1).first().isInstanceOf(StackOverflowError.class);

        wheel.advance(START + 4 * TICK + TimerWheel.RETRY_NANOS);
        assertThat(calls[0]).isEqualTo(2);
        assertThat(wheel.isEmpty()).isTrue();
    }
}
