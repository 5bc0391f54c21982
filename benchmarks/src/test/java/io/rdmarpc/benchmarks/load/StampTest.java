package io.rdmarpc.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A stamp")
class StampTest {

    private static final long NUMBER = 0x1234_5678_9abcL;
    private static final int OFFSET = 64;

    private static MemorySegment shifted(Arena arena, byte[] bytes) {
        MemorySegment memory = arena.allocate(OFFSET + bytes.length);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, OFFSET, bytes.length);
        return memory;
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 1 << 10, 1 << 16})
    void shouldBeTheSameInAnArrayAndInPlace(int length) {
        byte[] array = new byte[length];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(length);
            Stamp.write(array, NUMBER);
            Stamp.write(memory, length, NUMBER);

            assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(array);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 1 << 10, 1 << 16})
    void shouldAcceptAnEcho(int length) {
        byte[] array = new byte[length];
        Stamp.write(array, NUMBER);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = shifted(arena, array);

            assertThatCode(() -> Stamp.check(array, length, NUMBER)).doesNotThrowAnyException();
            assertThatCode(() -> Stamp.check(memory, OFFSET, length, length, NUMBER))
                    .doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 1 << 10})
    void whenAnyByteDiffersThenTheCheckFails(int length) {
        byte[] array = new byte[length];
        Stamp.write(array, NUMBER);
        try (Arena arena = Arena.ofConfined()) {
            for (int at = 0; at < length; at++) {
                array[at] ^= 1;
                MemorySegment memory = shifted(arena, array);

                assertThatThrownBy(() -> Stamp.check(array, length, NUMBER))
                        .as("byte %d", at)
                        .isInstanceOf(IllegalStateException.class);
                assertThatThrownBy(() -> Stamp.check(memory, OFFSET, length, length, NUMBER))
                        .as("byte %d, in place", at)
                        .isInstanceOf(IllegalStateException.class);
                array[at] ^= 1;
            }
        }
    }

    @Test
    void whenAResponseIsShorterThenTheCheckFails() {
        byte[] array = new byte[32];
        Stamp.write(array, NUMBER);

        assertThatThrownBy(() -> Stamp.check(array, 40, NUMBER)).hasMessageContaining("32 bytes");
    }

    @Test
    void whenTheResponseBelongsToThePreviousCallThenTheCheckFails() {
        SentBytes sent = new SentBytes(Payload.KIB1, 2);
        byte[] before = sent.next(1).clone();
        sent.next(1);

        assertThatThrownBy(() -> sent.check(1, before)).isInstanceOf(IllegalStateException.class);
        assertThatCode(() -> sent.check(1, sent.last(1).clone())).doesNotThrowAnyException();
    }
}
