package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Closing waits for whoever holds what is to be closed, and happens once. */
class HeldClosingTest {

    private final AtomicInteger closed = new AtomicInteger();
    private final HeldClosing closing = new HeldClosing(closed::incrementAndGet);

    @Test
    void whenNobodyHoldsItThenItIsClosedAtOnce() {
        closing.close();
        closing.close();

        assertThat(closed).hasValue(1);
    }

    @Test
    void whenItIsHeldThenItIsClosedAtTheLastRelease() {
        closing.hold();
        closing.hold();
        closing.close();
        closing.release();
        assertThat(closed).hasValue(0);

        closing.release();
        assertThat(closed).hasValue(1);
    }

    @Test
    void whenNobodyWantsItClosedThenAReleaseClosesNothing() {
        closing.hold();
        closing.release();

        assertThat(closed).hasValue(0);
    }
}
