package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.Messages;
import io.rdmarpc.service.RdmaSerializationException;
import io.rdmarpc.service.codec.Catalog.Article;
import io.rdmarpc.service.codec.Catalog.Both;
import io.rdmarpc.service.codec.Catalog.ByName;
import io.rdmarpc.service.codec.Catalog.Cursor;
import io.rdmarpc.service.codec.Catalog.Kind;
import io.rdmarpc.service.codec.Catalog.Legacy;
import io.rdmarpc.service.codec.Catalog.Note;
import io.rdmarpc.service.codec.Catalog.Nothing;
import io.rdmarpc.service.codec.Catalog.Page;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

// Some values are unusual on purpose.
@SuppressWarnings({"NullOptional", "JdkObsolete", "JavaUtilDate", "UnnecessaryStringBuilder"})
class ServiceCodecTest {

    private static final UUID ID = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e");

    private final CodecFixture catalog = new CodecFixture(Catalog.class);

    @AfterEach
    void everyBufferWasReleased() {
        assertThat(catalog.messages.open()).isZero();
    }

    private static Article article(String name) {
        return new Article(
                ID,
                name,
                new BigDecimal("12.50"),
                Kind.FILM,
                List.of(new Note("good", null), new Note("better", new Note("good", null))),
                Instant.parse("2026-11-21T10:15:30.123456789Z"));
    }

    @Test
    void shouldWriteNoBytesForNoArguments() {
        assertThat(catalog.arguments("nothing")).isEmpty();
        assertThat(catalog.result("nothing", null)).isEmpty();
        assertThat(catalog.readArguments("nothing", new byte[0])).isEmpty();
        assertThat(catalog.readResult("nothing", new byte[0])).isNull();
    }

    @Test
    void shouldSerializeNestedGenericRecords() {
        Page<Article> page = new Page<>(List.of(article("a"), article("b")), 3, Optional.empty());
        assertThat(catalog.copyResult("articles", page)).isEqualTo(page);
    }

    @Test
    void shouldSerializeMapsOfArrays() {
        Page<Article> page =
                new Page<>(List.of(), 0, Optional.of(new Cursor(Long.MIN_VALUE, Map.of("k", new byte[] {1, 2, 3}))));
        Page<?> copy = (Page<?>) catalog.copyResult("articles", page);
        assertThat(copy.next().orElseThrow().state().get("k")).containsExactly(1, 2, 3);
        assertThat(copy.next().orElseThrow().position()).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void shouldKeepTheClassOfSealedTypes() {
        Both query = new Both(new ByName("*"), new Both(Nothing.INSTANCE, new ByName("?")));
        assertThat(catalog.copyArguments("articles", query, List.of(ID))).containsExactly(query, List.of(ID));
    }

    @Test
    void shouldSerializeNulls() {
        assertThat(catalog.copyArguments("find", null, 5, null)).containsExactly(null, 5, null);
        assertThat(catalog.copyResult("find", null)).isNull();
        assertThat(catalog.copyResult("articles", new Page<>(null, 0, null))).isEqualTo(new Page<>(null, 0, null));
        assertThat(catalog.copyResult("all", new Article[] {null, article("x")}))
                .isEqualTo(new Article[] {null, article("x")});
        assertThat(catalog.copyResult("any", Arrays.asList(null, "a", null))).isEqualTo(Arrays.asList(null, "a", null));
    }

    @Test
    void shouldSerializePrimitivesAtTheirLimits() {
        assertThat(catalog.copyArguments("all", new long[] {0, -1, Long.MAX_VALUE}, null, '\uFFFF', true, -0.0))
                .containsExactly(new long[] {0, -1, Long.MAX_VALUE}, null, '\uFFFF', true, -0.0);
        assertThat(catalog.copyArguments("find", "", Integer.MIN_VALUE, Integer.MAX_VALUE))
                .containsExactly("", Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    @Test
    void shouldSerializeEnumsWithBodiesAndVarargs() {
        Object[] copy = catalog.copyArguments("kinds", (Object) new Kind[] {Kind.FILM, Kind.BOOK});
        assertThat((Kind[]) copy[0]).containsExactly(Kind.FILM, Kind.BOOK);
        assertThat(catalog.copyResult("kinds", new EnumMap<>(Map.of(Kind.FILM, EnumSet.of(Kind.BOOK)))))
                .isEqualTo(Map.of(Kind.FILM, Set.of(Kind.BOOK)));
    }

    @Test
    void shouldSerializeClassesByTheirFields() {
        Legacy legacy = new Legacy(7, "seven", new Legacy(8, null, null));
        Legacy copy = (Legacy) catalog.copyArguments("legacy", legacy)[0];
        assertThat(copy).isEqualTo(legacy);
        assertThat(copy.forgotten).isNull();
    }

    @Test
    void shouldKeepDeclaredCollectionClasses() {
        HashMap<String, Legacy> map = new HashMap<>(Map.of("a", new Legacy(1, "x", null)));
        assertThat(catalog.copyResult("legacy", map)).isEqualTo(map).isExactlyInstanceOf(HashMap.class);
    }

    static Stream<Object> standardValues() {
        return Stream.of(
                List.of(),
                List.of(1),
                List.of(1, 2, 3),
                Stream.of("a", "b").toList(),
                Collections.unmodifiableList(new LinkedList<>(List.of("a", "b"))),
                new ArrayList<>(List.of(1, 2, 3, 4)).subList(1, 3),
                Arrays.asList(1, "two", 3.0),
                Collections.nCopies(5, "x"),
                Collections.singletonList(null),
                Set.of("a", "b"),
                Collections.unmodifiableSet(new TreeSet<>(Set.of("b", "a"))),
                EnumSet.of(DayOfWeek.MONDAY).stream().map(Enum::name).toList(),
                Map.of("a", 1, "b", 2),
                Map.of(),
                Collections.unmodifiableMap(new TreeMap<>(Map.of("b", 2))),
                new ConcurrentHashMap<>(Map.of(1L, List.of("deep", List.of("deeper")))),
                new LinkedHashMap<>(Map.of("k", Optional.of("v"))),
                Optional.empty(),
                Optional.of(List.of(1)),
                OptionalInt.of(4),
                new BigDecimal("-12345678901234567890.123456789"),
                new BigDecimal("1E+400"),
                BigDecimal.ZERO,
                BigInteger.TWO.pow(500),
                ID,
                URI.create("rdma://host:7471/x?y=z"),
                Locale.forLanguageTag("de-CH"),
                Locale.forLanguageTag("sr-Latn-RS"),
                Currency.getInstance("EUR"),
                BitSet.valueOf(new long[] {5, 0, 1}),
                new Date(12345),
                Duration.ofNanos(-1),
                Instant.MAX,
                LocalDate.MIN,
                LocalTime.MAX,
                LocalDateTime.of(2026, 2, 28, 1, 2, 3, 4),
                ZoneOffset.ofHours(-3),
                ZoneId.of("Europe/Zurich"),
                OffsetDateTime.MAX,
                ZonedDateTime.of(2026, 10, 25, 2, 30, 0, 0, ZoneId.of("Europe/Zurich")),
                Year.of(2026),
                YearMonth.of(2026, 11),
                Period.of(1, 2, 3),
                true,
                (byte) -1,
                'x',
                (short) -2,
                3L,
                4.5f,
                Double.MIN_VALUE,
                new int[] {1, -1, Integer.MIN_VALUE},
                new double[] {1.5, Double.NEGATIVE_INFINITY},
                new boolean[] {true, false},
                new char[] {'a', '\u1234'},
                new short[] {1},
                new float[] {1.5f},
                new String[] {"a", null, ""},
                new Object[] {"a", 1, new Object[] {2L}},
                new byte[0]);
    }

    @ParameterizedTest
    @MethodSource("standardValues")
    void shouldSerializeStandardTypes(Object value) {
        assertThat(catalog.copyResult("any", value)).usingRecursiveComparison().isEqualTo(value);
        if (!value.getClass().isArray()) {
            assertThat(catalog.copyResult("any", value)).isEqualTo(value);
        }
    }

    @Test
    void shouldKeepTheOrderOfQueues() {
        assertThat((Iterable<?>) catalog.copyResult("any", new ArrayDeque<>(List.of(3, 1, 2))))
                .isInstanceOf(ArrayDeque.class)
                .map(Object.class::cast)
                .containsExactly(3, 1, 2);
    }

    @Test
    void shouldKeepTheOrderOfMaps() {
        Map<String, Integer> map = new LinkedHashMap<>();
        IntStream.range(0, 100).forEach(i -> map.put("key" + (i * 37 % 100), i));
        assertThat(((Map<?, ?>) catalog.copyResult("any", map)).keySet().toArray())
                .containsExactly(map.keySet().toArray());
    }

    @Test
    void whenAnArrayHasASortedSetWithACustomComparatorThenItIsRejected() {
        TreeSet<String> set = new TreeSet<>(Comparator.comparingInt(String::length));
        set.add("a");
        assertThat((Set<?>) catalog.copyResult("any", set)).isEqualTo(Set.of("a"));
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.copyResult("any", List.of(set)))
                .withMessageContaining("the result of " + Catalog.class.getName() + ".any")
                .withMessageContaining("java.util.TreeSet has a custom comparator, which is not serializable");
    }

    static Stream<String> texts() {
        Random random = new Random(7);
        String mixed = random.ints(5000, 0, 0x11000)
                .mapToObj(c -> String.valueOf((char) c))
                .reduce("", String::concat);
        return Stream.of(
                "",
                "a",
                "x".repeat(47),
                "x".repeat(48),
                "x".repeat(49),
                "x".repeat(5000),
                "é",
                "é".repeat(48),
                "日本語",
                "😀".repeat(3000),
                "\0",
                "lone \uD800 surrogate",
                "\uDC00".repeat(100),
                mixed);
    }

    /**
     * One char of two bytes among chars of one byte, around the boundaries of short text and of the examined parts.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 46, 61, 62, 254, 255, 256, 511, 512, 699})
    void shouldSerializeOneWideCharInAnyPosition(int place) {
        String text = "x".repeat(place) + "\u0100";
        String within = text + "é".repeat(700 - place);
        assertThat(catalog.copyResult("any", List.of(text, within))).isEqualTo(List.of(text, within));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void shouldSerializeStringsExactly(String text) {
        assertThat(catalog.copyArguments("find", text, 0, 0)[0]).isEqualTo(text);
        assertThat(catalog.copyResult("any", List.of(text, text))).isEqualTo(List.of(text, text));
    }

    @Test
    void shouldSerializeStringsInAnyPositionOfAPacket() {
        for (int fill = Messages.PACKET - 60; fill < Messages.PACKET + 5; fill++) {
            byte[] before = new byte[fill];
            assertThat(catalog.copyResult("any", List.of(before, "short", "y".repeat(100), "日本")))
                    .usingRecursiveComparison()
                    .isEqualTo(List.of(before, "short", "y".repeat(100), "日本"));
        }
    }

    @Test
    void shouldGrowLargeMessages() {
        byte[] blob = new byte[3 << 20];
        new Random(1).nextBytes(blob);
        Object[] copy = catalog.copyArguments("all", new long[100_000], blob, 'x', false, 1.0);
        assertThat((byte[]) copy[1]).isEqualTo(blob);
        List<String> lines =
                IntStream.range(0, 100_000).mapToObj(i -> "line " + i).toList();
        assertThat(catalog.copyResult("any", lines)).isEqualTo(lines);
    }

    @Test
    void whenAMessageExceedsTheLimitThenItIsRejectedAndItsMemoryReleased() {
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> catalog.method("any")
                        .encodeResult(catalog.messages.allocator(1 << 16), List.of("x", new byte[1 << 17])))
                .withMessageContaining("rdma.max-message-size");
    }

    @Test
    void shouldSendAMessageOfExactlyTheLimit() {
        int most = 1 << 16;
        int header = catalog.result("any", new byte[most - 100]).length - (most - 100);
        byte[] fits = new byte[most - header];
        assertThat(Messages.send(catalog.method("any").encodeResult(catalog.messages.allocator(most), fits)))
                .hasSize(most);
    }

    @Test
    void whenAValueIsCyclicThenItIsRejected() {
        List<Object> self = new ArrayList<>();
        self.add(self);
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.copyResult("any", self))
                .withMessageContaining("Max depth exceeded")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.INVALID_REQUEST));
    }

    @Test
    void whenAClassIsNotRegisteredThenItIsNamed() {
        assertThatExceptionOfType(RdmaSerializationException.class)
                .isThrownBy(() -> catalog.copyResult("any", new StringBuilder("x")))
                .withMessageContaining("java.lang.StringBuilder is not in the service's contract")
                .withMessageContaining("KryoCustomizer");
        assertThat(catalog.copyResult("any", "works again")).isEqualTo("works again");
    }

    @Test
    void shouldWriteCompactMessages() {
        assertThat(catalog.arguments("find", "abc", 1, 2)).hasSize(1 + 3 + 1 + 1 + 1);
        assertThat(catalog.result("find", Optional.of(article("name")))).hasSizeLessThan(80);
    }

    @Test
    void shouldBeThreadSafe() throws Exception {
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            var futures = IntStream.range(0, 2000)
                    .mapToObj(i -> executor.submit(() -> {
                        Page<Article> page = new Page<>(List.of(article("article " + i)), i, Optional.empty());
                        assertThat(catalog.copyResult("articles", page)).isEqualTo(page);
                        return true;
                    }))
                    .toList();
            for (var future : futures) {
                assertThat(future.get()).isTrue();
            }
        }
    }
}
