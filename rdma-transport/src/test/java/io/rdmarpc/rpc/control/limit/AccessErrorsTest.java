package io.rdmarpc.rpc.control.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class AccessErrorsTest {

    private static final String PEER = "peer";

    private final AccessErrors errors = new AccessErrors();
    private long now = Long.MAX_VALUE - 5;

    private void pass(Duration time) {
        now += time.toNanos();
    }

    private boolean add() {
        return errors.add(PEER, now);
    }

    @Test
    void whenThereAreAFewThenThePeerIsRejectedForAWhile() {
        for (int i = 1; i < AccessErrors.MAX_ERRORS; i++) {
            assertThat(add()).isFalse();
            assertThat(errors.isRejected(PEER, now)).isFalse();
        }
        assertThat(add()).isTrue();
        assertThat(errors.isRejected(PEER, now)).isTrue();
        pass(AccessErrors.REJECTION.minusNanos(1));
        assertThat(errors.isRejected(PEER, now)).isTrue();
        pass(Duration.ofNanos(1));
        assertThat(errors.isRejected(PEER, now)).isFalse();
        assertThat(add()).as("the count starts over").isFalse();
    }

    @Test
    void whenAPeerIsRejectedThenOthersAreNot() {
        for (int i = 0; i < AccessErrors.MAX_ERRORS; i++) {
            add();
        }
        assertThat(errors.isRejected("other", now)).isFalse();
    }

    @Test
    void whenTheyAreFarApartThenThePeerIsNotRejected() {
        for (int i = 0; i < 10; i++) {
            assertThat(add()).isFalse();
            pass(AccessErrors.PERIOD);
        }
        assertThat(errors.count()).isEqualTo(10);
    }

    @Test
    void shouldForgetTheOldestOfManyPeers() {
        for (int i = 0; i < AccessErrors.MAX_ERRORS; i++) {
            add();
        }
        for (int i = 0; i < 2_000; i++) {
            errors.add(i, now);
        }
        assertThat(errors.isRejected(PEER, now)).isFalse();
        assertThat(errors.isRejected(1_999, now)).isFalse();
        errors.add(1_999, now);
        assertThat(errors.add(1_999, now)).isTrue();
    }
}
