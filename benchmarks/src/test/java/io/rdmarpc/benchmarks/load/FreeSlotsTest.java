package io.rdmarpc.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Slots without a call")
class FreeSlotsTest {

    @Test
    void shouldBeAcquiredOnceEach() {
        FreeSlots free = new FreeSlots(70);
        boolean[] taken = new boolean[70];
        for (int i = 0; i < taken.length; i++) {
            int slot = free.acquire();
            assertThat(taken[slot]).isFalse();
            taken[slot] = true;
        }

        assertThat(free.acquire()).isEqualTo(-1);
        assertThat(free.areAllFree()).isFalse();
    }

    @Test
    void whenReleasedThenCanBeAcquiredAgain() {
        FreeSlots free = new FreeSlots(3);
        free.acquire(0);
        free.acquire(1);
        free.acquire(2);
        free.release(1);

        assertThat(free.acquire()).isEqualTo(1);
        free.release(0);
        free.release(1);
        free.release(2);
        assertThat(free.areAllFree()).isTrue();
    }
}
