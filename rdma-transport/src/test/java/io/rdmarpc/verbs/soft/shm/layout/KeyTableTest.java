package io.rdmarpc.verbs.soft.shm.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTableTest {

    private static final int KEY = 0x8001_0002;
    private static final int LAST = KeyTable.ENTRIES - 1;

    private final MemorySegment memory = Arena.ofAuto().allocate(KeyTable.BYTES, Long.BYTES);
    private final KeyTable keys = new KeyTable(memory);

    @Test
    void whenAKeyIsRevokedThenItIsNoLongerValid() {
        keys.set(LAST, KEY, 5);
        assertThat(keys.isValid(KEY, KeyTable.grant(LAST, 5))).isTrue();
        assertThat(keys.isValid(KEY + 1, KeyTable.grant(LAST, 5))).isFalse();
        assertThat(keys.isValid(KEY, KeyTable.grant(LAST - 1, 5))).isFalse();

        keys.clear(LAST);
        assertThat(keys.isValid(KEY, KeyTable.grant(LAST, 5))).isFalse();
    }

    @Test
    void whenAKeyIsGrantedAgainThenItsRegistrationDiffers() {
        keys.set(7, KEY, -1);
        assertThat(keys.isValid(KEY, KeyTable.grant(7, -1))).isTrue();
        keys.clear(7);
        keys.set(7, KEY, 1);
        assertThat(keys.isValid(KEY, KeyTable.grant(7, -1))).isFalse();
        assertThat(keys.isValid(KEY, KeyTable.grant(7, 1))).isTrue();
    }

    @Test
    void shouldHaveTheDocumentedLayout() {
        keys.set(2, KEY, 0x0102_0304);
        assertThat(memory.get(ValueLayout.JAVA_LONG, 16)).isEqualTo(0x8001_0002_0102_0304L);
        keys.clear(2);
        assertThat(memory.mismatch(MemorySegment.ofArray(new byte[KeyTable.BYTES])))
                .isEqualTo(-1);
    }

    /** Grants of an owner are accepted only inside the table. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1L << 32, (KeyTable.ENTRIES * (1L << 32)) | 1, -1, Long.MIN_VALUE | 1})
    void whenAGrantIsMalformedThenItIsNotValid(long grant) {
        assertThat(keys.isValid(0, grant)).isFalse();
        assertThat(keys.isValid(KEY, grant)).isFalse();
    }
}
