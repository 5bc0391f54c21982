package io.rdmarpc.rpc.engine.packet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The pool of receive credits")
class CreditPoolTest {

    private static final int SPARE = 8;
    private static final int SESSIONS = 2;
    private static final int LENDABLE = 10;

    private final CreditPool pool = new CreditPool(SPARE + SESSIONS + LENDABLE);

    CreditPoolTest() {
        for (int i = 0; i < SESSIONS; i++) {
            pool.join();
        }
    }

    @Test
    @DisplayName("lends the credits that sessions do not own, except the spare ones")
    void shouldLendTheRest() {
        assertThat(pool.take(100)).isEqualTo(LENDABLE);
    }

    @Test
    @DisplayName("is not short when all is lent and no request got less")
    void whenAllIsLentThenItIsNotShort() {
        pool.take(LENDABLE);

        assertThat(pool.isShort()).isFalse();
    }

    @Test
    @DisplayName("is short for some cycles after a request got less")
    void whenMoreIsRequestedThenItIsShortForAWhile() {
        pool.take(LENDABLE + 1);
        assertThat(pool.isShort()).isTrue();
        for (int cycle = 0; cycle < 64; cycle++) {
            pool.onCycle();
        }

        assertThat(pool.isShort()).isFalse();
    }

    @Test
    @DisplayName("is short when a session joins while all is lent, until a credit is returned")
    void whenASessionJoinsAFullPoolThenItIsShort() {
        pool.take(LENDABLE);
        pool.join();
        assertThat(pool.free()).isZero();
        assertThat(pool.isShort()).isTrue();
        pool.giveBack(1);

        assertThat(pool.isShort()).isFalse();
    }
}
