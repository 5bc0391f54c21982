package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Closing waits until the last hold is released, and happens once. */
class HeldClosingTest {

    private final AtomicInteger closed = new AtomicInteger();
    private final HeldClosing closing = new HeldClosing(closed::incrementAndGet);

    @Test
    void whenItIsNotHeldThenItIsClosedAtOnce() {
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
    void whenItWasNotClosedThenAReleaseClosesNothing() {
        closing.hold();
        closing.release();

        assertThat(closed).hasValue(0);
    }
}
