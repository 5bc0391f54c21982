package io.rdmarpc.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Slots without a call")
class FreeSlotsTest {

    @Test
    void areTakenOnceEach() {
        FreeSlots free = new FreeSlots(70);
        boolean[] taken = new boolean[70];
        for (int i = 0; i < taken.length; i++) {
            int slot = free.take();
            assertThat(taken[slot]).isFalse();
            taken[slot] = true;
        }

        assertThat(free.take()).isEqualTo(-1);
        assertThat(free.areAllFree()).isFalse();
    }

    @Test
    void whenGivenBackThenCanBeTakenAgain() {
        FreeSlots free = new FreeSlots(3);
        free.take(0);
        free.take(1);
        free.take(2);
        free.give(1);

        assertThat(free.take()).isEqualTo(1);
        free.give(0);
        free.give(1);
        free.give(2);
        assertThat(free.areAllFree()).isTrue();
    }
}
