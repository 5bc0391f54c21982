package io.rdmarpc.rpc.engine.session;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EngineSessionTest {

    /** Each index that a peer may send has a slot. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 100, 128, 256})
    void shouldFindTheSlotOfAnyRequestIndex(int window) {
        long[] indexes = {0, 1, window - 1, window, window + 1L, 3L * window + 2, Long.MAX_VALUE, Long.MIN_VALUE, -1};
        for (long index : indexes) {
            assertThat(EngineSession.slotIndex(index, window))
                    .as("slot of %d in a window of %d", index, window)
                    .isEqualTo((int) Long.remainderUnsigned(index, window));
        }
    }
}
