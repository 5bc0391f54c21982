package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The budget of a spinning loop")
class SpinBudgetTest {

    private final SpinBudget budget = new SpinBudget();

    /**
     * Runs idle cycles until the core would be yielded, at most the given number, then work; returns the number of
     * spins.
     */
    private int pause(int turns) {
        int spins = 0;
        while (spins < turns && budget.spins()) {
            spins++;
        }
        budget.onWork();
        return spins;
    }

    /** A pause that is longer than any spin. */
    private int longPause() {
        return pause(Integer.MAX_VALUE);
    }

    private void longPauses(int count) {
        for (int i = 0; i < count; i++) {
            longPause();
        }
    }

    @Test
    void whileWorkComesDuringSpinsThenItSpinsFully() {
        for (int i = 0; i < 10; i++) {
            assertThat(pause(SpinBudget.CYCLES / 2)).isEqualTo(SpinBudget.CYCLES / 2);
        }
    }

    @Test
    void whenAFewSpinsFailedThenItStillSpinsFully() {
        longPauses(SpinBudget.MAX_TRUST - 1);
        assertThat(longPause()).isEqualTo(SpinBudget.CYCLES - 1);
    }

    @Test
    void whenSpinningNeverPaysThenItDoesNotSpin() {
        longPauses(SpinBudget.MAX_TRUST);
        assertThat(longPause()).isZero();
    }

    @Test
    void whenAsManySpinsFailedThenItDoesNotSpinHoweverLongTheyPaidBefore() {
        for (int i = 0; i < 100; i++) {
            pause(1);
        }
        longPauses(SpinBudget.MAX_TRUST);
        assertThat(longPause()).isZero();
    }

    @Test
    void whileMorePausesPayThanFailThenItSpinsFully() {
        for (int i = 0; i < 1000; i++) {
            pause(1);
            pause(1);
            assertThat(longPause()).isEqualTo(SpinBudget.CYCLES - 1);
        }
    }

    @Test
    void shouldRetrySpinningFromTimeToTime() {
        longPauses(SpinBudget.MAX_TRUST);
        int tries = 0;
        for (int i = 0; i < 10 * SpinBudget.RETRY; i++) {
            tries += longPause() > 0 ? 1 : 0;
        }
        assertThat(tries).isEqualTo(10);
    }

    @Test
    void whenNearlyAllRetriesPayThenItSpinsAgain() {
        int needed = SpinBudget.CYCLES - 1;
        longPauses(SpinBudget.MAX_TRUST);
        int pauses = 0;
        while (pause(needed) < needed) {
            assertThat(++pauses).isLessThanOrEqualTo(SpinBudget.RETRY);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(pause(needed)).isEqualTo(needed);
        }
    }

    @Test
    void shouldNotDependOnCyclesWithWork() {
        longPauses(SpinBudget.MAX_TRUST);
        for (int i = 0; i < 100; i++) {
            budget.onWork();
        }
        assertThat(longPause()).isZero();
    }
}
