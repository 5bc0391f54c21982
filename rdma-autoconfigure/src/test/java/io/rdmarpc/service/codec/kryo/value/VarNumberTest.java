package io.rdmarpc.service.codec.kryo.value;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class VarNumberTest {

    /** Numbers around each power of two, where lengths change. */
    static LongStream numbers() {
        LongStream edges = LongStream.range(0, Long.SIZE)
                .map(bit -> 1L << bit)
                .flatMap(power -> LongStream.of(power - 1, power, power + 1, -power, ~power));
        return LongStream.concat(edges, new Random(11).longs(200));
    }

    private static int expectedBytes(long number) {
        int bits = Long.SIZE - Long.numberOfLeadingZeros(number);
        return bits > 56 ? 9 : Math.max(1, (bits + 6) / 7);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void shouldReadANumberRegardlessOfFollowingBytes(long number) {
        byte[] bytes = new byte[3 * VarNumber.MAX_BYTES];
        int count = VarNumber.put(number, bytes, 5);
        assertThat(count).isEqualTo(expectedBytes(number));
        Arrays.fill(bytes, 5 + count, bytes.length, (byte) 0x5A);
        assertThat(VarNumber.bytes(bytes[5])).isEqualTo(count);
        assertThat(VarNumber.get(bytes, 5, count)).isEqualTo(number);
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void shouldReadSignedNumbers(long number) {
        assertThat(VarNumber.plain(VarNumber.signed(number))).isEqualTo(number);
        assertThat((int) VarNumber.plain(VarNumber.unsigned((int) number))).isEqualTo((int) number);
        assertThat(VarNumber.unsigned((int) number)).isBetween(0L, 0xFFFF_FFFFL);
    }

    @Test
    void shouldWriteNumbersBelow128AsOneByte() {
        byte[] bytes = new byte[VarNumber.MAX_BYTES];
        for (int number = 0; number < 128; number++) {
            assertThat(VarNumber.put(number, bytes, 0)).isEqualTo(1);
            assertThat(bytes[0]).isEqualTo((byte) number);
        }
    }
}
