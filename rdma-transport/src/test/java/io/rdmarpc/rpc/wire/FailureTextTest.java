package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
    @DisplayName("FL-18 a failure with details has these bytes")
    void whenThereAreDetailsThenTheyFollowTheMessage() {
        RdmaErrorDetails details = RdmaErrorDetails.builder()
                .retryDelay(Duration.ofNanos(1_000_001))
                .reason("R", "")
                .build();
        MemorySegment target = MemorySegment.ofArray(new byte[100]);

        int length = FailureText.of("a.B", "no ü", details, 100).write(target);

        byte[] bytes = target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo("02000080" + "03" + "612e42" + "0500" + "6e6f20c3bc" + "01" + "030500" + "0100520000");
        assertThat(read(bytes).message()).isEqualTo("no ü");
        assertThat(read(bytes).errorDetails())
                .isEqualTo(details.toBuilder().retryDelay(Duration.ofMillis(2)).build());
    }

    @Test
    void whenMessageAndDetailsAreLongThenBothAreTruncated() {
        RdmaErrorDetails details =
                RdmaErrorDetails.builder().debug("d".repeat(2000)).build();
        MemorySegment target = MemorySegment.ofArray(new byte[1000]);

        int length = FailureText.of("T", "m".repeat(2000), details, 1000).write(target);

        FailureText read = read(target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
        assertThat(read.message()).hasSize(250);
        assertThat(read.errorDetails().debug())
                .startsWith("ddd")
                .endsWith("...")
                .hasSizeGreaterThan(700);
    }

    @Test
    void whenTheDetailsDoNotFitThenTheyAreOmitted() {
        RdmaErrorDetails details = RdmaErrorDetails.builder().reason("R", "").build();
        MemorySegment target = MemorySegment.ofArray(new byte[15]);

        int length = FailureText.of("", "words", details, 100).write(target);

        assertThat(read(target.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo(new FailureText("", "words"));
    }

    @Test
    void whenTheLengthOfTheMessageIsWrongThenTheWholeRestIsTheMessage() {
        byte[] bytes = HexFormat.of().parseHex("00000080" + "00" + "ffff" + "6e6f");

        assertThat(read(bytes)).isEqualTo(new FailureText("", "no"));
        assertThat(read(HexFormat.of().parseHex("00000080" + "00" + "ff"))).isEqualTo(new FailureText("", "\uFFFD"));
    }

    @Test
    void whenTheRetryDelayIsHugeThenTheLongestOneIsSent() {
        RdmaErrorDetails details = RdmaErrorDetails.ofRetryDelay(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999));

        assertThat(FailureText.of("", "", details, 100).retryAfterMillis()).isEqualTo(Integer.MAX_VALUE);
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
