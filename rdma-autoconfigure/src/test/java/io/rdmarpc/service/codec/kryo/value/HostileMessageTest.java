package io.rdmarpc.service.codec.kryo.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.codec.Catalog;
import io.rdmarpc.service.codec.CodecFixture;
import io.rdmarpc.service.codec.type.StandardTypes;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Malformed messages of a hostile or faulty peer. They are rejected with a message, and allocate little memory. */
class HostileMessageTest {

    private static final long MOST_ALLOCATED = 4 << 20;

    /** A larger number finds more: -Drdma.fuzz.rounds=100000. */
    private static final int ROUNDS = Integer.getInteger("rdma.fuzz.rounds", 1_500);

    private final CodecFixture catalog = new CodecFixture(Catalog.class);

    /** A class number, and 2^31 - 1 as a variable-length size. */
    private static byte[] hugeSizeOf(int classId) {
        return new byte[] {(byte) (classId + 2), -16, 127, -1, -1, -1};
    }

    @Test
    void shouldNotAllocateGigabytesForSixBytes() {
        for (int id = 0; id < 100; id++) {
            byte[] message = hugeSizeOf(id);
            long before = allocated();
            try {
                catalog.readResult("any", message);
            } catch (RdmaRpcException rejected) {
                // Expected. Some types have no size.
            }
            assertThat(allocated() - before).as("class %d", id).isLessThan(MOST_ALLOCATED);
        }
    }

    @Test
    void shouldCompareSizesWithTheRemainingBytes() {
        int arrayList = StandardTypes.FIRST_ID + 10;
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("any", hugeSizeOf(arrayList)))
                .withMessageContaining("claims 2147483647 elements")
                .withMessageContaining("has 0 bytes left");
    }

    /** 2^30 + 1 as a variable-length number, after the given prefix. */
    private static byte[] gibibyte(int... before) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        for (int each : before) {
            message.write(each);
        }
        message.writeBytes(new byte[] {(byte) 0xF0, 0x40, 0, 0, 1, 'x'});
        return message.toByteArray();
    }

    @Test
    void whenALengthIsOneGibibyteThenItIsRejectedBeforeAllocation() {
        int byteArray = StandardTypes.FIRST_ID + 2;
        int text = 1 + 2;
        int list = StandardTypes.FIRST_ID + 10 + 2;
        long before = allocated();
        for (byte[] message : List.of(gibibyte(byteArray), gibibyte(text), gibibyte(list), gibibyte(list, 2, list))) {
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> catalog.readResult("any", message))
                    .withMessageContaining("cannot read the result of " + Catalog.class.getName() + ".any")
                    .withMessageContaining("bytes left");
        }
        assertThat(allocated() - before).isLessThan(MOST_ALLOCATED);
        stillWorks();
    }

    /** Text that claims half a GiB, in each encoding for wide chars and in an unknown encoding. */
    @ParameterizedTest
    @ValueSource(bytes = {KryoOutput.UTF_8, KryoOutput.CHARS, 2, -1})
    void whenTextIsLongerThanItsMessageThenItIsRejected(byte form) {
        byte[] message = {1 + 2, (byte) 0xF0, 0x40, 0, 0, 2, form, 'x', 'x'};
        long before = allocated();
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("any", message))
                .withMessageContaining(
                        form == KryoOutput.UTF_8 || form == KryoOutput.CHARS
                                ? "bytes left"
                                : "the unknown encoding " + form);
        assertThat(allocated() - before).isLessThan(MOST_ALLOCATED);
    }

    /** Twice 2^40 as a signed variable-length number, half of which is the scale. */
    @Test
    void whenAScaleIsInvalidThenItIsRejected() {
        int decimal = StandardTypes.FIRST_ID + 21 + 2;
        byte[] message = {(byte) decimal, -2, 4, 0, 0, 0, 0, 0, 2};
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("any", message))
                .withMessageContaining("a decimal number with the invalid scale ");
    }

    @Test
    void shouldNotAllocateTheSumOfNestedSizes() {
        // Each level claims as many elements as there are remaining bytes, at a depth of 200.
        int size = 1 << 20;
        byte[] message = new byte[size];
        int arrayList = StandardTypes.FIRST_ID + 10;
        int at = 0;
        for (int level = 0; level < 200; level++) {
            message[at++] = (byte) (arrayList + 2);
            int left = size - at - 3;
            message[at++] = (byte) (left >> 16 | 0xC0);
            message[at++] = (byte) (left >> 8);
            message[at++] = (byte) left;
        }
        long before = allocated();
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("any", message));
        assertThat(allocated() - before).isLessThan(40L << 20);
    }

    @Test
    void shouldLimitTheDepth() {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        for (int i = 0; i < 10_000; i++) {
            message.write(StandardTypes.FIRST_ID + 10 + 2);
            message.write(1);
        }
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("any", message.toByteArray()))
                .withMessageContaining("Max depth exceeded");
    }

    @Test
    void whenAMessageNamesAClassThenItIsRejected() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("any", new byte[] {1, 0, 3, 'x', 'y'}))
                .withMessageContaining("only registered classes are accepted");
    }

    @Test
    void whenAClassIsNotOfTheDeclaredTypeThenItIsRejected() {
        byte[] text = catalog.result("any", "text");
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("articles", text));
        byte[] list = catalog.result("any", List.of());
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readResult("kinds", list))
                .withMessageContaining("a java.util.ArrayList instead of a java.util.Map");
    }

    @Test
    void whenAMessageHasExtraBytesThenItIsRejected() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.readArguments("find", new byte[] {0, 0, 0, 0}))
                .withMessageContaining("1 bytes after its last value");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldReadOrRejectRandomBytes(long seed) {
        Random random = new Random(seed);
        List<String> methods = List.of("any", "articles", "find", "kinds", "all", "legacy");
        for (int i = 0; i < ROUNDS; i++) {
            byte[] message = new byte[random.nextInt(64)];
            random.nextBytes(message);
            read(methods.get(random.nextInt(methods.size())), message);
        }
        stillWorks();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldReadOrRejectChangedMessages(long seed) {
        Random random = new Random(seed);
        byte[] good = catalog.result(
                "any",
                List.of(
                        Map.of("k", List.of(1, 2L, "three", new BigDecimal("4.5"))),
                        new Catalog.Article(
                                UUID.randomUUID(), "n", BigDecimal.TEN, Catalog.Kind.BOOK, List.of(), Instant.now()),
                        Optional.of(new Object[] {new int[] {1, 2}, "日本"}),
                        new Catalog.Legacy(1, "x", null)));
        for (int i = 0; i < ROUNDS; i++) {
            byte[] message = good.clone();
            for (int change = random.nextInt(3); change >= 0; change--) {
                message[random.nextInt(message.length)] = (byte) random.nextInt();
            }
            read("any", message);
        }
        stillWorks();
    }

    @Test
    void whenAMessageIsTruncatedThenItIsRejected() {
        byte[] good = catalog.result("any", List.of("a", Map.of(1, "b"), new byte[10], "日本"));
        for (int length = 0; length < good.length; length++) {
            byte[] cut = java.util.Arrays.copyOf(good, length);
            assertThatExceptionOfType(RdmaSerializationException.class)
                    .isThrownBy(() -> catalog.readResult("any", cut));
        }
    }

    private void read(String method, byte[] message) {
        try {
            catalog.readResult(method, message);
        } catch (RdmaSerializationException rejected) {
            assertThat(rejected).hasMessageContaining("cannot read");
        }
    }

    private void stillWorks() {
        assertThatNoException().isThrownBy(() -> catalog.copyResult("any", List.of("fine")));
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }
}
