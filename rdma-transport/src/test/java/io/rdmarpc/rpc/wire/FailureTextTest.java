package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FailureTextTest {

    private static byte[] written(String type, String message, int room) {
        MemorySegment target = MemorySegment.ofArray(new byte[room]);
        int length = new FailureText(type, message, 0x01020304).write(target);
        return target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    private static FailureText read(byte[] bytes) {
        return FailureText.read(MemorySegment.ofArray(bytes));
    }

    @Test
    @DisplayName("CP-17 a failure has these bytes")
    void shouldHaveTheDocumentedBytes() {
        byte[] bytes = written("a.B", "no ü", 100);

        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo("04030201" + "03" + "612e42" + "6e6f20c3bc");
        assertThat(read(bytes)).isEqualTo(new FailureText("a.B", "no ü", 0x01020304));
    }

    @Test
    void whenAPeersFailureHasControlCharactersThenTheyAreReplaced() {
        FailureText read = read(written("a.B\u001b[0m", "first\nsecond\u202E", 100));

        assertThat(read.type()).isEqualTo("a.B?[0m");
        assertThat(read.message()).isEqualTo("first second?");
    }

    @Test
    void whenTheTextsAreEmptyThenFiveBytesAreEnough() {
        assertThat(written("", "", 5)).containsExactly(4, 3, 2, 1, 0);
        assertThat(read(new byte[] {0})).isEqualTo(new FailureText("", ""));
        assertThat(read(new byte[0])).isEqualTo(new FailureText("", ""));
    }

    @Test
    void whenSpaceIsSmallThenTextsAreTruncatedBetweenCharacters() {
        FailureText cut = read(written("T", "äöü", 5 + 1 + 5));
        assertThat(cut).isEqualTo(new FailureText("T", "äö", 0x01020304));

        assertThat(read(written("LongType", "lost", 9))).isEqualTo(new FailureText("Long", "", 0x01020304));
        assertThat(read(written("x".repeat(300), "kept", 400)))
                .isEqualTo(new FailureText("x".repeat(255), "kept", 0x01020304));
    }

    @Test
    void whenTextsAreOfAnyLengthThenAPrefixFits() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 5_000; round++) {
            String type = text(random, random.nextInt(300));
            String message = text(random, random.nextInt(300));
            int room = 5 + random.nextInt(400);

            byte[] bytes = written(type, message, room);

            FailureText back = read(bytes);
            assertThat(bytes.length).as("seed %d", seed).isLessThanOrEqualTo(room);
            assertThat(type).as("seed %d", seed).startsWith(back.type());
            assertThat(message).as("seed %d", seed).startsWith(back.message());
        }
    }

    private static String text(SplittableRandom random, int length) {
        int[] alphabet = {'a', 'ü', '€', 0x1F600};
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
        }
        return text.toString();
    }

    @Test
    void whenBytesAreRandomThenReadingNeverThrows() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = new byte[random.nextInt(64)];
            random.nextBytes(bytes);

            FailureText text = read(bytes);

            assertThat(text.type().getBytes(StandardCharsets.UTF_8).length)
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(3 * 255);
        }
    }
}
