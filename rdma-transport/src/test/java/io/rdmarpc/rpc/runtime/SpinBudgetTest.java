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

    @Test
    void areAllOfThemWhileWorkComesMeanwhile() {
        for (int i = 0; i < 10; i++) {
            assertThat(pause(SpinBudget.MOST / 2)).isEqualTo(SpinBudget.MOST / 2);
        }
    }

    @Test
    void areFewerEachTimeThatItSpunInVain() {
        int before = longPause();
        for (int i = 0; i < 5; i++) {
            assertThat(longPause()).isLessThan(before);
        }
    }

    @Test
    void areNoneWhenSpinningNeverPays() {
        for (int i = 0; i < 10; i++) {
            longPause();
        }
        assertThat(longPause()).isZero();
    }

    @Test
    void areMoreAgainWhenWorkComesMeanwhile() {
        longPause();
        longPause();
        int few = longPause();
        for (int i = 0; i < 5; i++) {
            pause(1);
        }
        assertThat(longPause()).isGreaterThan(few);
    }

    @Test
    void areTriedAgainNowAndThen() {
        for (int i = 0; i < 10; i++) {
            longPause();
        }
        int tries = 0;
        for (int i = 0; i < 10 * SpinBudget.RETRY; i++) {
            tries += longPause() > 0 ? 1 : 0;
        }
        assertThat(tries).isEqualTo(10);
    }

    @Test
    void areBackAtOnceWhenATryFindsThatTheyPay() {
        for (int i = 0; i < 10; i++) {
            longPause();
        }
        int pauses = 0;
        while (pause(2) < 2) {
            assertThat(++pauses).isLessThanOrEqualTo(SpinBudget.RETRY);
        }
        for (int i = 0; i < 7; i++) {
            pause(1);
        }
        assertThat(longPause()).isGreaterThan(SpinBudget.MOST / 2);
    }

    @Test
    void doNotDependOnTurnsWithWork() {
        longPause();
        for (int i = 0; i < 100; i++) {
            budget.onWork();
        }
        assertThat(longPause()).isLessThan(SpinBudget.MOST);
    }
}
