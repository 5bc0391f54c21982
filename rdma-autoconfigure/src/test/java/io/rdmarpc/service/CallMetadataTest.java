package io.rdmarpc.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("Metadata of a call")
class CallMetadataTest {

    private static MemorySegment written(CallMetadata metadata) {
        MemorySegment block = MemorySegment.ofArray(new byte[MetadataBlock.bytesOf(metadata)]);
        MetadataBlock.write(metadata, block);
        return block;
    }

    private static MemorySegment bytes(String hex) {
        return MemorySegment.ofArray(HexFormat.of().parseHex(hex));
    }

    /** Simulates a caller that still has the memory mapped, and changes the length between the two reads. */
    @Test
    void whenTheLengthChangesAfterItWasReadThenTheFirstValueIsUsed() {
        MemorySegment message = written(new CallMetadata().put("a", "b"));
        int bytes = MetadataBlock.bytesOf(message);
        message.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) 4);
        assertThat(MetadataBlock.read(message, bytes).get("a")).isEqualTo("b");
    }

    @Test
    @DisplayName("has the documented encoding")
    void shouldHaveTheDocumentedEncoding() {
        CallMetadata metadata = new CallMetadata().put("tenant", "Zürich").put("x", "");

        assertThat(HexFormat.of().formatHex(written(metadata).toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo(
                        "1a00" + "0200" + "0600" + "74656e616e74" + "0700" + "5ac3bc72696368" + "0100" + "78" + "0000");
    }

    @Test
    @DisplayName("without pairs has four bytes")
    void whenThereAreNoPairsThenTheBlockIsItsHeader() {
        assertThat(HexFormat.of().formatHex(written(new CallMetadata()).toArray(ValueLayout.JAVA_BYTE)))
                .isEqualTo("04000000");
        assertThat(MetadataBlock.read(bytes("04000000ffff")).isEmpty()).isTrue();
    }

    @Test
    void whenEncodedThenItIsDecodedWithoutTheBytesThatFollow() {
        CallMetadata metadata =
                new CallMetadata().put("traceparent", "00-4bf9-00f0-01").put("größe", "ø".repeat(500));
        MemorySegment message = MemorySegment.ofArray(new byte[MetadataBlock.bytesOf(metadata) + 100]);
        MetadataBlock.write(metadata, message);

        CallMetadata read = MetadataBlock.read(message);

        assertThat(read.asMap()).containsExactlyEntriesOf(metadata.asMap());
        assertThat(MetadataBlock.bytesOf(message)).isEqualTo(MetadataBlock.bytesOf(metadata));
        assertThat(MetadataBlock.bytesOf(read)).isEqualTo(MetadataBlock.bytesOf(metadata));
    }

    @Test
    void whenAValueIsReplacedOrRemovedThenItsBytesDoNotCount() {
        CallMetadata metadata = new CallMetadata().put("a", "x".repeat(8_000));
        metadata.put("a", "y".repeat(8_000))
                .remove("a")
                .put("b", "z".repeat(8_000))
                .remove("nothing");

        assertThat(metadata.get("b")).hasSize(8_000);
        assertThat(metadata.get("a")).isNull();
        assertThat(MetadataBlock.bytesOf(metadata)).isEqualTo(4 + 4 + 1 + 8_000);
    }

    @Test
    void whenAllPairsAreTooLongThenTheMessageHasTheSizes() {
        CallMetadata metadata = new CallMetadata().put("long", "x".repeat(8_192 - 4 - 4 - 4));

        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> metadata.put("a", "b"))
                .withMessageContaining("8198 bytes")
                .withMessageContaining("the limit is 8192 bytes");
        assertThat(metadata.asMap()).containsOnlyKeys("long");
        assertThatIllegalArgumentException().isThrownBy(() -> metadata.put("", "b"));
    }

    @Test
    void whenItWasReceivedThenItIsReadOnly() {
        CallMetadata read = MetadataBlock.read(written(new CallMetadata().put("a", "b")));

        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> read.put("c", "d"));
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> read.remove("a"));
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(() -> CallMetadata.NONE.put("c", "d"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "no header, 0400",
        "a block shorter than its header, 03000000",
        "a block longer than the message, 05000000",
        "a block longer than allowed, ffff0000",
        "a missing pair, 04000100",
        "a key longer than the block, 08000100ffff6162",
        "half a length, 0800010001006100",
        "a value longer than the block, 0a0001000100610200ff",
        "more bytes than pairs, 050000000ff0",
        "an empty key, 08000100000000000000",
        "a key twice, 0e000200010061000001006100000000",
        "a key that is not UTF-8, 09000100" + "0100ff" + "0000",
    })
    void whenTheBlockIsInvalidThenItIsRejectedWithAMessage(String what, String hex) {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .as(what)
                .isThrownBy(() -> MetadataBlock.read(bytes(hex)))
                .withMessageStartingWith("The metadata of the call cannot be decoded")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_REQUEST));
    }

    @Test
    @DisplayName("decodes from random bytes or fails with the declared exception")
    void whenBytesAreRandomThenDecodeFailsAsDeclared() {
        Random random = new Random(7);
        MemorySegment good =
                written(new CallMetadata().put("traceparent", "00-4bf9-00f0-01").put("b", "c"));
        for (int i = 0; i < 100_000; i++) {
            byte[] mutated = good.toArray(ValueLayout.JAVA_BYTE);
            for (int flips = random.nextInt(4); flips >= 0; flips--) {
                mutated[random.nextInt(mutated.length)] = (byte) random.nextInt();
            }
            decodeOrReject(MemorySegment.ofArray(mutated).asSlice(0, random.nextInt(mutated.length + 1)));
        }
    }

    private static void decodeOrReject(MemorySegment message) {
        try {
            assertThat(MetadataBlock.read(message).asMap()).hasSizeLessThan(10);
        } catch (RdmaSerializationException e) {
            assertThat(e).hasMessageStartingWith("The metadata of the call cannot be decoded");
        }
    }
}
