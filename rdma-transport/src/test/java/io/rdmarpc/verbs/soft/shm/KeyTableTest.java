package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class KeyTableTest {

    private static final int KEY = 0x8001_0002;

    private final KeyTable keys = new KeyTable(Arena.ofAuto().allocate(KeyTable.BYTES, Long.BYTES));

    @Test
    void shouldKnowAKeyUntilItIsRevoked() {
        keys.publish(KEY);
        assertThat(keys.isValid(KEY)).isTrue();
        assertThat(keys.isValid(KEY + 1)).isFalse();
        assertThat(keys.registration(KEY)).isNotZero();
        assertThat(keys.registration(KEY + 1)).isZero();

        keys.revoke(KEY);
        assertThat(keys.isValid(KEY)).isFalse();
        assertThat(keys.registration(KEY)).isZero();
    }

    @Test
    void whenAKeyIsPublishedAgainThenItIsOfAnotherRegistration() {
        keys.publish(KEY);
        int first = keys.registration(KEY);
        keys.revoke(KEY);
        keys.publish(KEY);

        assertThat(keys.registration(KEY)).isNotZero().isNotEqualTo(first);
    }

    @Test
    void shouldHaveRoomForTheFirstAndTheLastSlot() {
        int last = 0xFFFF_0001;
        keys.publish(last);
        keys.publish(1);

        assertThat(keys.isValid(last)).isTrue();
        assertThat(keys.isValid(1)).isTrue();
        assertThat(keys.registration(last)).isNotEqualTo(keys.registration(1));
    }
}
