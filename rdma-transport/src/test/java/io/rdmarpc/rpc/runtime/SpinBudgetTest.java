package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The turns that a loop spins")
class SpinBudgetTest {

    private final SpinBudget budget = new SpinBudget();

    /** Turns without work until the core is offered, at most so many; then there is work. */
    private int pause(int turns) {
        int spins = 0;
        while (spins < turns && budget.spins()) {
            spins++;
        }
        budget.onWork();
        return spins;
    }

    /** A pause that is longer than any spinning. */
    private int longPause() {
        return pause(Integer.MAX_VALUE);
    }

    private void longPauses(int count) {
        for (int i = 0; i < count; i++) {
            longPause();
        }
    }

    @Test
    void areAllOfThemWhileWorkComesMeanwhile() {
        for (int i = 0; i < 10; i++) {
            assertThat(pause(SpinBudget.TURNS / 2)).isEqualTo(SpinBudget.TURNS / 2);
        }
    }

    @Test
    void areAllOfThemAfterAFewInVain() {
        longPauses(SpinBudget.MOST_TRUST - 1);
        assertThat(longPause()).isEqualTo(SpinBudget.TURNS - 1);
    }

    @Test
    void areNoneWhenSpinningNeverPays() {
        longPauses(SpinBudget.MOST_TRUST);
        assertThat(longPause()).isZero();
    }

    @Test
    void areNoneAfterAsManyInVainHoweverLongTheyPaidBefore() {
        for (int i = 0; i < 100; i++) {
            pause(1);
        }
        longPauses(SpinBudget.MOST_TRUST);
        assertThat(longPause()).isZero();
    }

    @Test
    void areAllOfThemWhileMorePausesPayThanDoNot() {
        for (int i = 0; i < 1000; i++) {
            pause(1);
            pause(1);
            assertThat(longPause()).isEqualTo(SpinBudget.TURNS - 1);
        }
    }

    @Test
    void areTriedAgainNowAndThen() {
        longPauses(SpinBudget.MOST_TRUST);
        int tries = 0;
        for (int i = 0; i < 10 * SpinBudget.RETRY; i++) {
            tries += longPause() > 0 ? 1 : 0;
        }
        assertThat(tries).isEqualTo(10);
    }

    @Test
    void areBackForGoodWhenATryFindsThatNearlyAllOfThemPay() {
        int needed = SpinBudget.TURNS - 1;
        longPauses(SpinBudget.MOST_TRUST);
        int pauses = 0;
        while (pause(needed) < needed) {
            assertThat(++pauses).isLessThanOrEqualTo(SpinBudget.RETRY);
        }
        for (int i = 0; i < 10; i++) {
            assertThat(pause(needed)).isEqualTo(needed);
        }
    }

    @Test
    void doNotDependOnTurnsWithWork() {
        longPauses(SpinBudget.MOST_TRUST);
        for (int i = 0; i < 100; i++) {
            budget.onWork();
        }
        assertThat(longPause()).isZero();
    }
}
