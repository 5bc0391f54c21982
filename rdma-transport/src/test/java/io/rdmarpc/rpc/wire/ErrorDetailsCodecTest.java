package io.rdmarpc.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaErrorDetails.Resource;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ErrorDetailsCodecTest {

    private static final int PLENTY = 4000;

    private static final RdmaErrorDetails ALL = RdmaErrorDetails.builder()
            .fieldViolation("items[0].count", "must be positive", "Positive")
            .fieldViolation("", "unknown customer \u00fc")
            .resource(new Resource("order", "o-7", "acme", "was cancelled"))
            .reason("CANCELLED", "shop")
            .metadata("since", "2 h")
            .metadata("by", "")
            .debug("java.lang.Error: x\n\tat shop.Orders")
            .build();

    private static RdmaErrorDetails read(byte[] bytes) {
        RdmaErrorDetails.Builder builder = RdmaErrorDetails.builder();
        ErrorDetailsCodec.decode(bytes, builder);
        return builder.build();
    }

    private static RdmaErrorDetails read(String hex) {
        return read(HexFormat.of().parseHex(hex));
    }

    private static RdmaErrorDetails sent(RdmaErrorDetails details, int room) {
        byte[] bytes = ErrorDetailsCodec.encode(details, room);
        assertThat(bytes.length).isLessThanOrEqualTo(room);
        return read(bytes);
    }

    @Test
    @DisplayName("FL-18 details have these bytes")
    void shouldHaveTheDocumentedBytes() {
        RdmaErrorDetails details = RdmaErrorDetails.builder()
                .fieldViolation("a", "b", "c")
                .resource(new Resource("t", "n", "", "d"))
                .reason("R", "")
                .metadata("k", "v")
                .debug("x")
                .build();

        assertThat(HexFormat.of().formatHex(ErrorDetailsCodec.encode(details, PLENTY)))
                .isEqualTo("01"
                        + "030500" + "0100" + "52" + "0000"
                        + "020b00" + "0100" + "74" + "0100" + "6e" + "0000" + "0100" + "64"
                        + "040600" + "0100" + "6b" + "0100" + "76"
                        + "010900" + "0100" + "61" + "0100" + "62" + "0100" + "63"
                        + "050100" + "78");
    }

    @Test
    void shouldReturnAllParts() {
        assertThat(sent(ALL, PLENTY)).isEqualTo(ALL.withDebug("java.lang.Error: x\n at shop.Orders"));
        assertThat(sent(ALL, PLENTY).isTruncated()).isFalse();
    }

    @Test
    void whenThereAreNoDetailsThenNothingIsSent() {
        assertThat(ErrorDetailsCodec.encode(RdmaErrorDetails.NONE, PLENTY)).isEmpty();
        assertThat(ErrorDetailsCodec.encode(RdmaErrorDetails.ofRetryDelay(Duration.ofMillis(1)), PLENTY))
                .isEmpty();
        assertThat(read(new byte[0])).isEqualTo(RdmaErrorDetails.NONE);
    }

    @Test
    void whenSpaceIsSmallThenPartsAreOmittedAndTheResultIsMarked() {
        for (int room = 0; room < PLENTY; room++) {
            byte[] bytes = ErrorDetailsCodec.encode(ALL, room);

            assertThat(bytes.length).as("%d bytes", room).isLessThanOrEqualTo(room);
            RdmaErrorDetails read = read(bytes);
            assertThat(bytes.length < 4 || read.isTruncated() || read.equals(sent(ALL, PLENTY)))
                    .as("%d bytes: %s", room, read)
                    .isTrue();
        }
    }

    @Test
    void whenATextIsLongThenItIsShortenedAndTheResultIsMarked() {
        RdmaErrorDetails read = sent(
                RdmaErrorDetails.builder()
                        .fieldViolation("a", "\u00e4".repeat(2000))
                        .build(),
                PLENTY);

        assertThat(read.fieldViolations())
                .singleElement()
                .satisfies(violation -> assertThat(violation.description()).isEqualTo("\u00e4".repeat(510) + "..."));
        assertThat(read.isTruncated()).isTrue();
    }

    @Test
    void whenThereAreManyEntriesThenOnlySomeAreSent() {
        RdmaErrorDetails.Builder many = RdmaErrorDetails.builder();
        for (int i = 0; i < 100; i++) {
            many.fieldViolation("f" + i, "").metadata("k" + i, "");
        }

        RdmaErrorDetails read = sent(many.build(), PLENTY);

        assertThat(read.fieldViolations()).hasSize(64);
        assertThat(read.metadata()).hasSize(64).containsEntry("k63", "");
        assertThat(read.isTruncated()).isTrue();
    }

    @Test
    @DisplayName("FL-18 unknown parts and further fields of a part are ignored")
    void whenAPeerSendsMoreThenItIsIgnored() {
        RdmaErrorDetails read = read("01" + "c80200aabb" + "040800" + "0100" + "6b" + "0100" + "76" + "ffff");

        assertThat(read.metadata()).isEqualTo(Map.of("k", "v"));
        assertThat(read.isTruncated()).isFalse();
    }

    @Test
    void whenTheFormatIsUnknownThenTheDetailsAreIgnored() {
        assertThat(read("02" + "04060001006b010076")).isEqualTo(RdmaErrorDetails.NONE);
    }

    @Test
    @DisplayName("FL-18 lengths of a lying peer are checked")
    void whenLengthsAreWrongThenTheRestIsReadAndMarked() {
        RdmaErrorDetails wrongText = read("01" + "040400" + "ffff" + "6b6b" + "030400" + "0000" + "0000" + "0400");
        assertThat(wrongText.metadata()).isEmpty();
        assertThat(wrongText.isTruncated()).isTrue();

        RdmaErrorDetails wrongPart = read("01" + "04060001006b010076" + "05ffff78");
        assertThat(wrongPart.metadata()).isEqualTo(Map.of("k", "v"));
        assertThat(wrongPart.debug()).isEmpty();
        assertThat(wrongPart.isTruncated()).isTrue();
    }

    @Test
    void whenAPeerSendsTooManyEntriesThenTheyAreNotKept() {
        RdmaErrorDetails read = read("01" + ("010600" + "000000000000").repeat(400));

        assertThat(read.fieldViolations()).hasSize(64);
        assertThat(read.isTruncated()).isTrue();
    }

    @Test
    void whenTextsHaveControlCharactersThenTheyAreReplaced() {
        RdmaErrorDetails read = sent(
                RdmaErrorDetails.builder()
                        .reason("A\nERROR", "b\u001b[0m")
                        .debug("one\r\ntwo\u202e\tthree")
                        .build(),
                PLENTY);

        assertThat(read.reason()).isEqualTo("A ERROR");
        assertThat(read.domain()).isEqualTo("b?[0m");
        assertThat(read.debug()).isEqualTo("one\ntwo? three");
    }

    @Test
    void whenBytesAreRandomThenReadingNeverThrows() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        byte[] valid = ErrorDetailsCodec.encode(ALL, PLENTY);
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = valid.clone();
            for (int change = random.nextInt(8); change >= 0; change--) {
                bytes[1 + random.nextInt(bytes.length - 1)] = (byte) random.nextInt();
            }
            RdmaErrorDetails read = read(bytes);
            assertThat(read.fieldViolations().size()).as("seed %d", seed).isLessThanOrEqualTo(64);
        }
    }

    @Test
    void whenTheDelayIsNegativeThenItIsRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RdmaErrorDetails.builder().retryDelay(Duration.ofSeconds(-1)))
                .withMessageContaining("PT-1S");
    }
}
