package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.service.Messages;
import io.rdmarpc.service.RdmaSerializationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Currency;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The values that every format must transfer exactly. */
// Some values are unusual on purpose.
@SuppressWarnings({"NullOptional", "UnnecessaryStringBuilder"})
abstract class SerializerContract {

    @RdmaService
    interface Everything {

        Primitives primitives(Primitives value);

        boolean simple(boolean a, byte b, short c, char d, int e, long f, float g, double h);

        Boxes boxes(Boxes value);

        Texts texts(Texts value);

        Times times(Times value);

        Numbers numbers(Numbers value);

        Names names(Names value);

        Optionals optionals(Optionals value);

        Containers containers(Containers value);

        Arrays2 arrays(Arrays2 value);

        Varargs varargs(Varargs value);

        Tree<Integer> tree(Tree<Integer> value);

        Shape shape(Shape value);

        List<Shape> shapes(List<Shape> values);

        Mood mood(Mood value);

        Holder holder(Holder value);

        Object any(Object value);

        byte[] bytes(byte[] value);

        ByteBuffer buffer(ByteBuffer value);

        MemorySegment segment(MemorySegment value);

        RegionToken token(RegionToken value);

        <T extends Comparable<T>> T most(List<T> values);

        void nothing();
    }

    record Primitives(boolean a, byte b, short c, char d, int e, long f, float g, double h) {}

    record Boxes(Boolean a, Byte b, Short c, Character d, Integer e, Long f, Float g, Double h) {}

    record Texts(String a, String b) {}

    record Times(
            Duration duration,
            Instant instant,
            LocalDate date,
            LocalTime time,
            LocalDateTime dateTime,
            ZoneOffset offset,
            ZoneId zone,
            OffsetDateTime offsetDateTime,
            ZonedDateTime zonedDateTime,
            Year year,
            YearMonth month,
            Period period) {}

    record Numbers(BigDecimal decimal, BigInteger integer, BitSet bits) {}

    record Names(UUID id, URI uri, Locale locale, Currency currency) {}

    record Optionals(Optional<String> text, Optional<Texts> texts, OptionalInt a, OptionalLong b, OptionalDouble c) {}

    record Containers(
            List<String> list,
            Set<Mood> set,
            Map<String, List<Integer>> map,
            Map<Mood, Shape> byEnum,
            Map<UUID, byte[]> byId,
            List<List<Optional<String>>> nested) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Arrays2(
            int[] ints, long[] longs, double[] doubles, boolean[] flags, char[] chars, String[] texts, Mood[] moods) {

        @Override
        public boolean equals(Object o) {
            return o instanceof Arrays2 other
                    && Arrays.equals(ints, other.ints)
                    && Arrays.equals(longs, other.longs)
                    && Arrays.equals(doubles, other.doubles)
                    && Arrays.equals(flags, other.flags)
                    && Arrays.equals(chars, other.chars)
                    && Arrays.equals(texts, other.texts)
                    && Arrays.equals(moods, other.moods);
        }

        @Override
        public int hashCode() {
            return 0;
        }
    }

    record Varargs(Ints ints, Words words, Things things) {}

    @SuppressWarnings("ArrayRecordComponent")
    record Ints(int... values) {

        @Override
        public boolean equals(Object o) {
            return o instanceof Ints other && Arrays.equals(values, other.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    record Words(int number, String... values) {

        @Override
        public boolean equals(Object o) {
            return o instanceof Words other && number == other.number && Arrays.equals(values, other.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }
    }

    @SuppressWarnings("ArrayRecordComponent")
    record Things(Object... values) {

        @Override
        public boolean equals(Object o) {
            return o instanceof Things other && Arrays.equals(values, other.values);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(values);
        }
    }

    record Tree<T>(T value, List<Tree<T>> children) {}

    sealed interface Shape permits Circle, Square, Nowhere, Group {}

    record Circle(double radius) implements Shape {}

    record Square(int side) implements Shape {}

    record Group(List<Shape> members, Shape first) implements Shape {}

    enum Nowhere implements Shape {
        HERE
    }

    enum Mood {
        GOOD,
        BAD {
            @Override
            int weight() {
                return -1;
            }
        };

        int weight() {
            return 1;
        }
    }

    /** A class with a constructor without parameters. */
    static class Holder {
        public String name;
        public int count;
        public Holder next;

        @Override
        public boolean equals(Object o) {
            return o instanceof Holder other
                    && Objects.equals(name, other.name)
                    && count == other.count
                    && Objects.equals(next, other.next);
        }

        @Override
        public int hashCode() {
            return count;
        }
    }

    abstract CodecFixture fixture(SerializationSettings settings);

    private final CodecFixture codec = fixture(SerializationSettings.DEFAULTS);

    @AfterEach
    void everyBufferWasReleased() {
        assertThat(codec.messages.open()).isZero();
    }

    private void arrives(String method, Object value) {
        assertThat(codec.copyArguments(method, value)).containsExactly(value);
        assertThat(codec.copyResult(method, value)).isEqualTo(value);
    }

    @Test
    void shouldSerializeNoArguments() {
        assertThat(codec.copyResult("nothing", null)).isNull();
        assertThat(codec.copyArguments("nothing")).isEmpty();
    }

    @Test
    void shouldSerializePrimitivesAtTheirLimits() {
        arrives("primitives", new Primitives(true, (byte) -128, (short) -32768, '\0', 0, 0, 0, 0));
        arrives(
                "primitives",
                new Primitives(
                        false,
                        Byte.MAX_VALUE,
                        Short.MAX_VALUE,
                        '\uFFFF',
                        Integer.MIN_VALUE,
                        Long.MIN_VALUE,
                        Float.MIN_VALUE,
                        Double.MAX_VALUE));
        arrives(
                "primitives",
                new Primitives(true, (byte) 1, (short) 1, 'x', 1, -1, Float.NaN, Double.NEGATIVE_INFINITY));
        Object[] args = {true, (byte) -1, (short) 300, 'é', Integer.MAX_VALUE, Long.MAX_VALUE, 1.5f, -0.0};
        assertThat(codec.copyArguments("simple", args)).containsExactly(args);
        assertThat(codec.copyResult("simple", true)).isEqualTo(true);
    }

    @Test
    void whenAPrimitiveIsNullThenItIsRejected() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.copyArguments(
                        "simple", true, (byte) -1, (short) 300, 'x', null, Long.MAX_VALUE, 1.5f, -0.0))
                .withMessageContaining(Everything.class.getName() + ".simple");
    }

    @Test
    void shouldSerializeBoxesAndNull() {
        arrives("boxes", new Boxes(true, (byte) 1, (short) 2, 'c', 3, 4L, 5.5f, 6.5));
        arrives("boxes", new Boxes(null, null, null, null, null, null, null, null));
        arrives("boxes", null);
    }

    static Stream<String> texts() {
        Random random = new Random(7);
        StringBuilder mixed = new StringBuilder();
        random.ints(5000, 0, 0x10000).forEach(c -> mixed.append((char) c));
        return Stream.of(
                "",
                "a",
                "x".repeat(48),
                "x".repeat(49),
                "é".repeat(62),
                "x".repeat(63),
                "x".repeat(61) + "\u0100",
                "é".repeat(4096),
                "é".repeat(10_000),
                "x".repeat(100_000),
                "é",
                "é".repeat(48),
                "日本語",
                "😀".repeat(3000),
                "a".repeat(60) + "😀",
                "\0",
                "\"quoted\" and \\ and \n",
                "lone \uD800 surrogate",
                "turned round \uDC00\uD800",
                "\uDC00".repeat(100),
                mixed.toString());
    }

    @ParameterizedTest
    @MethodSource("texts")
    void shouldSerializeStringsExactly(String text) {
        arrives("texts", new Texts(text, null));
        arrives("any", text);
    }

    @Test
    void shouldSerializeTimesToTheNanosecond() {
        arrives(
                "times",
                new Times(
                        Duration.ofNanos(-1),
                        Instant.parse("2026-11-21T10:15:30.123456789Z"),
                        LocalDate.of(-44, 3, 15),
                        LocalTime.MAX,
                        LocalDateTime.of(2026, 2, 28, 1, 2, 3, 4),
                        ZoneOffset.ofHours(-3),
                        ZoneId.of("Europe/Zurich"),
                        OffsetDateTime.of(2026, 1, 1, 0, 0, 0, 1, ZoneOffset.ofHours(14)),
                        ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("Europe/Zurich")),
                        Year.of(2026),
                        YearMonth.of(2026, 11),
                        Period.of(1, 2, 3)));
    }

    private static Times at(ZonedDateTime value) {
        return new Times(
                Duration.ZERO,
                value.toInstant(),
                value.toLocalDate(),
                value.toLocalTime(),
                value.toLocalDateTime(),
                value.getOffset(),
                value.getZone(),
                value.toOffsetDateTime(),
                value,
                Year.of(value.getYear()),
                YearMonth.of(value.getYear(), value.getMonth()),
                Period.ZERO);
    }

    static Stream<String> zones() {
        return ZoneId.getAvailableZoneIds().stream().sorted();
    }

    /** A local time occurs twice when clocks are set back, and never when they are set forward. */
    @ParameterizedTest
    @MethodSource("zones")
    void shouldKeepTheOffsetOfTimesAroundClockChanges(String id) {
        ZoneId zone = ZoneId.of(id);
        Instant instant = Instant.parse("2024-01-01T00:00:00Z");
        for (int i = 0; i < 4; i++) {
            ZoneOffsetTransition change = zone.getRules().nextTransition(instant);
            if (change == null) {
                change = zone.getRules().previousTransition(instant);
            }
            if (change == null) {
                arrives("times", at(instant.atZone(zone)));
                return;
            }
            instant = change.getInstant();
            LocalDateTime local = change.getDateTimeAfter();
            for (ZoneOffset offset : List.of(change.getOffsetBefore(), change.getOffsetAfter())) {
                ZonedDateTime value = ZonedDateTime.ofLocal(local, zone, offset);
                arrives("times", at(value));
                arrives("any", value);
                arrives("any", List.of(value));
            }
        }
    }

    @Test
    void shouldSerializeRecordsWithVarargs() {
        Object[] mixed = {1, "two", null};
        arrives("varargs", new Varargs(new Ints(1, 2), new Words(3, "a", null), new Things(mixed)));
        arrives("varargs", new Varargs(new Ints(), new Words(4), new Things()));
        arrives("varargs", new Varargs(new Ints((int[]) null), new Words(5, (String[]) null), new Things((Object[])
                null)));
    }

    @Test
    void shouldKeepTheScaleOfNumbers() {
        arrives(
                "numbers",
                new Numbers(new BigDecimal("12.50"), BigInteger.TWO.pow(500), BitSet.valueOf(new long[] {5, 0, 1})));
        arrives(
                "numbers",
                new Numbers(new BigDecimal("-12345678901234567890.123456789"), BigInteger.ZERO, new BitSet()));
        arrives("numbers", new Numbers(new BigDecimal("1E+400"), BigInteger.valueOf(Long.MIN_VALUE), null));
        arrives("numbers", new Numbers(BigDecimal.valueOf(Long.MIN_VALUE, 3), BigInteger.TEN, null));
    }

    @Test
    void shouldKeepTheScaleOfDecimalsOfAnyLength() {
        for (String digits : List.of(
                "0",
                "1",
                "-1",
                "999999999999999999",
                "-999999999999999999",
                "1000000000000000000",
                "9223372036854775807")) {
            BigInteger unscaled = new BigInteger(digits);
            for (int scale : new int[] {0, 2, -2, 400, -400, 10_000, -10_000}) {
                arrives("numbers", new Numbers(new BigDecimal(unscaled, scale), BigInteger.ONE, null));
            }
        }
    }

    /** The inline cache of a slot must not use one class for a value of another class. */
    @Test
    void shouldSerializeValuesOfManyClassesInOneContainer() {
        arrives("any", List.of(1, "two", 3, 4.5, true, "six", List.of("seven", 8), 9));
        arrives("any", new LinkedHashMap<>(Map.of("a", 1, "b", "two", "c", 3.5)));
    }

    @Test
    void shouldSerializeNames() {
        arrives(
                "names",
                new Names(
                        UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e"),
                        URI.create("rdma://host:7471/x?y=z"),
                        Locale.forLanguageTag("sr-Latn-RS"),
                        Currency.getInstance("EUR")));
    }

    @Test
    void shouldSerializeOptionals() {
        arrives(
                "optionals",
                new Optionals(
                        Optional.of("x"),
                        Optional.of(new Texts("a", null)),
                        OptionalInt.of(-1),
                        OptionalLong.of(2),
                        OptionalDouble.of(0.5)));
        arrives(
                "optionals",
                new Optionals(
                        Optional.empty(),
                        Optional.empty(),
                        OptionalInt.empty(),
                        OptionalLong.empty(),
                        OptionalDouble.empty()));
    }

    private static Containers containers() {
        Map<String, List<Integer>> map = new LinkedHashMap<>();
        for (int i = 0; i < 40; i++) {
            map.put("key" + (i * 17 % 40), Arrays.asList(i, null, -i));
        }
        return new Containers(
                List.of("a", "b"),
                Set.of(Mood.GOOD, Mood.BAD),
                map,
                new EnumMap<>(Map.of(Mood.BAD, new Square(3))),
                Map.of(),
                List.of(List.of(), List.of(Optional.of("x"), Optional.empty())));
    }

    @Test
    void shouldKeepTheOrderOfContainers() {
        Containers value = containers();
        arrives("containers", value);
        Containers copy = (Containers) codec.copyResult("containers", value);
        assertThat(copy.map().keySet()).containsExactlyElementsOf(value.map().keySet());
        arrives("containers", new Containers(null, null, null, null, null, null));
    }

    @Test
    void shouldSerializeMapsOfByteArrays() {
        UUID id = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e");
        Containers copy = (Containers) codec.copyResult(
                "containers", new Containers(null, null, null, null, Map.of(id, new byte[] {1, -2, 3}), null));
        assertThat(copy.byId().get(id)).containsExactly(1, -2, 3);
    }

    @Test
    void shouldSerializeArrays() {
        arrives(
                "arrays",
                new Arrays2(
                        new int[] {1, -1, Integer.MIN_VALUE},
                        new long[] {Long.MAX_VALUE},
                        new double[] {0.1},
                        new boolean[] {true, false},
                        new char[] {'a', '日'},
                        new String[] {"a", null, ""},
                        new Mood[] {Mood.BAD, null}));
        arrives(
                "arrays",
                new Arrays2(new int[0], new long[0], null, new boolean[0], new char[0], new String[0], new Mood[0]));
    }

    @Test
    void shouldSerializeGenericRecords() {
        arrives("tree", new Tree<>(1, List.of(new Tree<>(2, List.of()), new Tree<>(null, null))));
    }

    @Test
    void shouldKeepTheClassOfSealedTypes() {
        arrives("shape", new Circle(1.5));
        arrives("shape", Nowhere.HERE);
        arrives("shape", new Group(List.of(new Square(1), new Group(List.of(), null)), new Circle(2)));
        arrives("shapes", List.of(new Square(1), Nowhere.HERE, new Circle(0)));
        arrives("shape", null);
    }

    @Test
    void shouldSerializeEnumsWithBodies() {
        arrives("mood", Mood.BAD);
        arrives("mood", Mood.GOOD);
        arrives("mood", null);
    }

    @Test
    void shouldSerializeClasses() {
        Holder holder = new Holder();
        holder.name = "outer";
        holder.next = new Holder();
        holder.next.count = 7;
        arrives("holder", holder);
    }

    static Stream<Object> values() {
        return Stream.of(
                1,
                2L,
                'x',
                1.5,
                2.5f,
                true,
                "text",
                new BigDecimal("1.20"),
                Mood.BAD,
                new Square(4),
                new Tree<>("x", List.of()),
                List.of(1, "two", 3L, List.of(4.0)),
                new LinkedHashMap<>(Map.of("k", List.of(new Circle(1)))),
                Set.of(5L),
                UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e"),
                Duration.ofSeconds(1));
    }

    @ParameterizedTest
    @MethodSource("values")
    void shouldSerializeAnyValueOfTheContractAsAnObject(Object value) {
        arrives("any", value);
    }

    @Test
    void whenAClassIsNotInTheContractThenItIsRejectedByName() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> codec.copyResult("any", new StringBuilder("x")))
                .withMessageContaining("java.lang.StringBuilder is not in the service's contract");
        arrives("any", "works again");
    }

    @Test
    void shouldSerializeBoundedVariables() {
        assertThat(codec.copyResult("most", 5)).isEqualTo(5);
        assertThat(codec.copyArguments("most", List.of("a", "b"))).containsExactly(List.of("a", "b"));
    }

    @Test
    void shouldSerializeBytes() {
        byte[] large = new byte[3 << 20];
        new Random(1).nextBytes(large);
        assertThat((byte[]) codec.copyResult("bytes", large)).isEqualTo(large);
        assertThat((byte[]) codec.copyResult("bytes", new byte[0])).isEmpty();
        assertThat(codec.copyResult("bytes", null)).isNull();
    }

    @Test
    void shouldSerializeBuffersFromPositionToLimit() {
        ByteBuffer heap = ByteBuffer.wrap("_hello_".getBytes(StandardCharsets.US_ASCII))
                .position(1)
                .limit(6);
        ByteBuffer direct = ByteBuffer.allocateDirect(10_000);
        for (ByteBuffer each : List.of(heap, heap.asReadOnlyBuffer(), direct, heap.slice())) {
            int position = each.position();
            ByteBuffer copy = (ByteBuffer) codec.copyArguments("buffer", each)[0];
            assertThat(copy).isEqualTo(each);
            assertThat(copy.position()).isZero();
            assertThat(each.position()).isEqualTo(position);
        }
        assertThat(codec.copyResult("buffer", null)).isNull();
    }

    @Test
    void shouldSerializeSegments() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment segment = arena.allocateFrom(ValueLayout.JAVA_LONG, 1, -2, 3);
            MemorySegment copy = (MemorySegment) codec.copyArguments("segment", segment)[0];
            assertThat(copy.mismatch(segment)).isEqualTo(-1);
        }
        assertThat(codec.copyResult("segment", null)).isNull();
    }

    @Test
    void shouldSerializeTokensOfRegions() {
        byte[] bytes = new byte[RegionToken.ENCODED_BYTES];
        bytes[0] = 1;
        bytes[1] = 1;
        for (int i = 8; i < bytes.length; i++) {
            bytes[i] = (byte) i;
        }
        RegionToken token = RegionToken.decode(bytes);
        RegionToken copy = (RegionToken) codec.copyArguments("token", token)[0];
        assertThat(copy.encode()).isEqualTo(bytes);
        assertThat(copy).isEqualTo(token);
        assertThat(codec.copyResult("token", null)).isNull();
        assertThat(codec.copyArguments("any", token)[0]).isEqualTo(token);
    }

    @Test
    void shouldGrowMessagesToTheNegotiatedMaximum() {
        byte[] most = new byte[1 << 16];
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> codec.method("bytes").encodeResult(codec.messages.allocator(1 << 16), most))
                .withMessageContaining("rdma.max-message-size");
    }

    @Test
    void whenAValueIsCyclicThenItIsRejectedAndTheCodecStillWorks() {
        List<Object> self = new ArrayList<>();
        self.add(self);
        assertThatExceptionOfType(RdmaSerializationException.class).isThrownBy(() -> codec.arguments("any", self));
        assertThatExceptionOfType(RdmaSerializationException.class).isThrownBy(() -> codec.result("any", self));
        arrives("any", "works again");
    }

    @Test
    void shouldLimitTheDepthInBothDirections() {
        CodecFixture shallow = fixture(new SerializationSettings(Evolution.NONE, 20, 1000, 1 << 20));
        Tree<Integer> deep = new Tree<>(0, List.of());
        for (int i = 0; i < 100; i++) {
            deep = new Tree<>(i, List.of(deep));
        }
        Tree<Integer> tooDeep = deep;
        assertThatExceptionOfType(RdmaSerializationException.class).isThrownBy(() -> shallow.result("tree", tooDeep));
        byte[] message = codec.result("tree", tooDeep);
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> shallow.readResult("tree", message));
    }

    @Test
    void shouldLimitElements() {
        CodecFixture few = fixture(new SerializationSettings(Evolution.NONE, 20, 1000, 1 << 20));
        byte[] message = codec.result("any", Collections.nCopies(5000, 1));
        assertThatExceptionOfType(RdmaSerializationException.class).isThrownBy(() -> few.readResult("any", message));
    }

    @Test
    void shouldReadArgumentsFromAnOffset() {
        MethodCodec method = codec.method("texts");
        MessageBuffer message =
                method.encodeArguments(codec.messages.allocator(), 17, new Object[] {new Texts("a", "b")});
        byte[] bytes = Messages.send(message);
        assertThat(method.decodeArguments(Messages.received(bytes), 17)).containsExactly(new Texts("a", "b"));
    }

    @Test
    void shouldHaveADeterministicDescription() {
        assertThat(fixture(SerializationSettings.DEFAULTS).codec.contract()).isEqualTo(codec.codec.contract());
    }

    @Test
    void shouldReadOrRejectChangedMessages() {
        int rounds = Integer.getInteger("rdma.fuzz.rounds", 300);
        List<byte[]> good = List.of(
                codec.result("containers", containers()),
                codec.result("shape", new Group(List.of(new Square(1)), new Circle(2))),
                codec.result("texts", new Texts("some text", "x".repeat(60))),
                codec.result("any", List.of(1, "two", List.of(new Square(3)))));
        List<String> methods = List.of("containers", "shape", "texts", "any");
        for (long seed = 1; seed <= 4; seed++) {
            Random random = new Random(seed);
            for (int i = 0; i < rounds; i++) {
                int which = random.nextInt(good.size());
                byte[] message =
                        Arrays.copyOf(good.get(which), good.get(which).length - random.nextInt(2) * random.nextInt(9));
                for (int change = random.nextInt(4); change > 0; change--) {
                    message[random.nextInt(message.length)] = (byte) random.nextInt();
                }
                try {
                    codec.readResult(methods.get(which), message);
                } catch (RdmaRpcException rejected) {
                    assertThat(rejected).hasMessageContaining("cannot read the result of");
                }
            }
        }
        arrives("any", "works again");
    }
}
