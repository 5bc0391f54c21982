package io.rdmarpc.service.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.RdmaSerializationException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Sends random values of every supported type in every position. The received value must equal the sent one by its
 * {@code equals}.
 */
// Null optionals and mutable dates occur in applications.
@SuppressWarnings({"NullOptional", "JavaUtilDate", "ArrayRecordComponent"})
class EveryTypeTest {

    private static final int ROUNDS = Integer.getInteger("rdma.values.rounds", 30);
    private static final long SEED = seed();

    /** Prints the option that repeats the run. The seed is random unless that option or RDMA_TEST_SEED is set. */
    private static long seed() {
        String given = System.getenv("RDMA_TEST_SEED");
        long seed = Long.getLong(
                "rdma.test.seed", given == null ? System.nanoTime() & Long.MAX_VALUE : Long.parseLong(given));
        System.out.println("EveryTypeTest -Drdma.test.seed=" + seed);
        return seed;
    }

    /** All positions of a type. */
    interface Places<T> {

        T value(T value);

        List<T> list(List<T> value);

        List<List<T>> nested(List<List<T>> value);

        Map<String, T> values(Map<String, T> value);

        Optional<T> optional(Optional<T> value);

        T[] array(T[] value);

        T[][] arrays(T[][] value);

        Holder<T> holder(Holder<T> value);

        Fields<T> fields(Fields<T> value);

        Object any(Object value);
    }

    interface Keys<T> {
        Map<T, String> keys(Map<T, String> value);
    }

    record Holder<T>(T value, List<T> list, Map<String, T> values, Optional<T> optional, T[] array, Object any) {}

    static class Fields<T> {
        public T value;
        public List<T> list;
        public T[] array;
    }

    enum Mood {
        GOOD,
        BAD {
            @Override
            int weight() {
                return 2;
            }
        };

        int weight() {
            return 1;
        }
    }

    record Point(int x, @Nullable String name) {}

    sealed interface Shape permits Point2, Nothing {}

    record Point2(double x, Mood mood) implements Shape {}

    enum Nothing implements Shape {
        HERE
    }

    // The element type of an array, and the type argument of a variable, are known only here.
    record Kind<T>(
            Class<T> type, Class<?> places, @Nullable Class<?> keys, Function<RandomValues, ? extends T> values) {

        boolean isOptional() {
            return type.getSimpleName().startsWith("Optional");
        }

        @Override
        public String toString() {
            return type.getSimpleName();
        }
    }

    private static <T> Kind<T> kind(
            Class<T> type,
            Class<? extends Places<T>> places,
            @Nullable Class<? extends Keys<T>> keys,
            Function<RandomValues, ? extends T> values) {
        return new Kind<>(type, places, keys, values);
    }

    @RdmaService
    interface BooleanPlaces extends Places<Boolean> {}

    @RdmaService
    interface BooleanKeys extends Keys<Boolean> {}

    @RdmaService
    interface BytePlaces extends Places<Byte> {}

    @RdmaService
    interface ByteKeys extends Keys<Byte> {}

    @RdmaService
    interface ShortPlaces extends Places<Short> {}

    @RdmaService
    interface ShortKeys extends Keys<Short> {}

    @RdmaService
    interface CharacterPlaces extends Places<Character> {}

    @RdmaService
    interface CharacterKeys extends Keys<Character> {}

    @RdmaService
    interface IntegerPlaces extends Places<Integer> {}

    @RdmaService
    interface IntegerKeys extends Keys<Integer> {}

    @RdmaService
    interface LongPlaces extends Places<Long> {}

    @RdmaService
    interface LongKeys extends Keys<Long> {}

    @RdmaService
    interface FloatPlaces extends Places<Float> {}

    @RdmaService
    interface FloatKeys extends Keys<Float> {}

    @RdmaService
    interface DoublePlaces extends Places<Double> {}

    @RdmaService
    interface DoubleKeys extends Keys<Double> {}

    @RdmaService
    interface StringPlaces extends Places<String> {}

    @RdmaService
    interface StringKeys extends Keys<String> {}

    @RdmaService
    interface BigIntegerPlaces extends Places<BigInteger> {}

    @RdmaService
    interface BigIntegerKeys extends Keys<BigInteger> {}

    @RdmaService
    interface BigDecimalPlaces extends Places<BigDecimal> {}

    @RdmaService
    interface BigDecimalKeys extends Keys<BigDecimal> {}

    @RdmaService
    interface UUIDPlaces extends Places<UUID> {}

    @RdmaService
    interface UUIDKeys extends Keys<UUID> {}

    @RdmaService
    interface URIPlaces extends Places<URI> {}

    @RdmaService
    interface URIKeys extends Keys<URI> {}

    @RdmaService
    interface LocalePlaces extends Places<Locale> {}

    @RdmaService
    interface LocaleKeys extends Keys<Locale> {}

    @RdmaService
    interface CurrencyPlaces extends Places<Currency> {}

    @RdmaService
    interface CurrencyKeys extends Keys<Currency> {}

    @RdmaService
    interface BitSetPlaces extends Places<BitSet> {}

    @RdmaService
    interface BitSetKeys extends Keys<BitSet> {}

    @RdmaService
    interface DatePlaces extends Places<Date> {}

    @RdmaService
    interface DateKeys extends Keys<Date> {}

    @RdmaService
    interface TimestampPlaces extends Places<Timestamp> {}

    @RdmaService
    interface TimestampKeys extends Keys<Timestamp> {}

    @RdmaService
    interface SqlDatePlaces extends Places<java.sql.Date> {}

    @RdmaService
    interface SqlDateKeys extends Keys<java.sql.Date> {}

    @RdmaService
    interface TimePlaces extends Places<Time> {}

    @RdmaService
    interface TimeKeys extends Keys<Time> {}

    @RdmaService
    interface DurationPlaces extends Places<Duration> {}

    @RdmaService
    interface DurationKeys extends Keys<Duration> {}

    @RdmaService
    interface InstantPlaces extends Places<Instant> {}

    @RdmaService
    interface InstantKeys extends Keys<Instant> {}

    @RdmaService
    interface LocalDatePlaces extends Places<LocalDate> {}

    @RdmaService
    interface LocalDateKeys extends Keys<LocalDate> {}

    @RdmaService
    interface LocalTimePlaces extends Places<LocalTime> {}

    @RdmaService
    interface LocalTimeKeys extends Keys<LocalTime> {}

    @RdmaService
    interface LocalDateTimePlaces extends Places<LocalDateTime> {}

    @RdmaService
    interface LocalDateTimeKeys extends Keys<LocalDateTime> {}

    @RdmaService
    interface ZoneOffsetPlaces extends Places<ZoneOffset> {}

    @RdmaService
    interface ZoneOffsetKeys extends Keys<ZoneOffset> {}

    @RdmaService
    interface ZoneIdPlaces extends Places<ZoneId> {}

    @RdmaService
    interface ZoneIdKeys extends Keys<ZoneId> {}

    @RdmaService
    interface OffsetTimePlaces extends Places<OffsetTime> {}

    @RdmaService
    interface OffsetTimeKeys extends Keys<OffsetTime> {}

    @RdmaService
    interface OffsetDateTimePlaces extends Places<OffsetDateTime> {}

    @RdmaService
    interface OffsetDateTimeKeys extends Keys<OffsetDateTime> {}

    @RdmaService
    interface ZonedDateTimePlaces extends Places<ZonedDateTime> {}

    @RdmaService
    interface ZonedDateTimeKeys extends Keys<ZonedDateTime> {}

    @RdmaService
    interface YearPlaces extends Places<Year> {}

    @RdmaService
    interface YearKeys extends Keys<Year> {}

    @RdmaService
    interface YearMonthPlaces extends Places<YearMonth> {}

    @RdmaService
    interface YearMonthKeys extends Keys<YearMonth> {}

    @RdmaService
    interface MonthDayPlaces extends Places<MonthDay> {}

    @RdmaService
    interface MonthDayKeys extends Keys<MonthDay> {}

    @RdmaService
    interface PeriodPlaces extends Places<Period> {}

    @RdmaService
    interface PeriodKeys extends Keys<Period> {}

    @RdmaService
    interface OptionalIntPlaces extends Places<OptionalInt> {}

    @RdmaService
    interface OptionalLongPlaces extends Places<OptionalLong> {}

    @RdmaService
    interface OptionalDoublePlaces extends Places<OptionalDouble> {}

    @RdmaService
    interface ByteBufferPlaces extends Places<ByteBuffer> {}

    @RdmaService
    interface MemorySegmentPlaces extends Places<MemorySegment> {}

    @RdmaService
    interface ByteArrayPlaces extends Places<byte[]> {}

    @RdmaService
    interface ShortArrayPlaces extends Places<short[]> {}

    @RdmaService
    interface IntArrayPlaces extends Places<int[]> {}

    @RdmaService
    interface LongArrayPlaces extends Places<long[]> {}

    @RdmaService
    interface FloatArrayPlaces extends Places<float[]> {}

    @RdmaService
    interface DoubleArrayPlaces extends Places<double[]> {}

    @RdmaService
    interface CharArrayPlaces extends Places<char[]> {}

    @RdmaService
    interface BooleanArrayPlaces extends Places<boolean[]> {}

    @RdmaService
    interface StringArrayPlaces extends Places<String[]> {}

    @RdmaService
    interface MoodPlaces extends Places<Mood> {}

    @RdmaService
    interface MoodKeys extends Keys<Mood> {}

    @RdmaService
    interface PointPlaces extends Places<Point> {}

    @RdmaService
    interface PointKeys extends Keys<Point> {}

    @RdmaService
    interface ShapePlaces extends Places<Shape> {}

    static List<Kind<?>> kinds() {
        return List.of(
                kind(Boolean.class, BooleanPlaces.class, BooleanKeys.class, RandomValues::aBoolean),
                kind(Byte.class, BytePlaces.class, ByteKeys.class, RandomValues::aByte),
                kind(Short.class, ShortPlaces.class, ShortKeys.class, RandomValues::aShort),
                kind(Character.class, CharacterPlaces.class, CharacterKeys.class, RandomValues::aChar),
                kind(Integer.class, IntegerPlaces.class, IntegerKeys.class, RandomValues::anInt),
                kind(Long.class, LongPlaces.class, LongKeys.class, RandomValues::aLong),
                kind(Float.class, FloatPlaces.class, FloatKeys.class, RandomValues::aFloat),
                kind(Double.class, DoublePlaces.class, DoubleKeys.class, RandomValues::aDouble),
                kind(String.class, StringPlaces.class, StringKeys.class, RandomValues::aString),
                kind(BigInteger.class, BigIntegerPlaces.class, BigIntegerKeys.class, RandomValues::anInteger),
                kind(BigDecimal.class, BigDecimalPlaces.class, BigDecimalKeys.class, RandomValues::aDecimal),
                kind(UUID.class, UUIDPlaces.class, UUIDKeys.class, RandomValues::aUuid),
                kind(URI.class, URIPlaces.class, URIKeys.class, RandomValues::aUri),
                kind(Locale.class, LocalePlaces.class, LocaleKeys.class, RandomValues::aLocale),
                kind(Currency.class, CurrencyPlaces.class, CurrencyKeys.class, RandomValues::aCurrency),
                kind(BitSet.class, BitSetPlaces.class, BitSetKeys.class, RandomValues::aBitSet),
                kind(Date.class, DatePlaces.class, DateKeys.class, RandomValues::aDate),
                kind(Timestamp.class, TimestampPlaces.class, TimestampKeys.class, random -> {
                    Timestamp at = new Timestamp(random.aMillis() >> 12);
                    at.setNanos(Math.floorMod(random.anInt(), 1_000_000_000));
                    return at;
                }),
                kind(
                        java.sql.Date.class,
                        SqlDatePlaces.class,
                        SqlDateKeys.class,
                        random -> new java.sql.Date(random.aMillis())),
                kind(Time.class, TimePlaces.class, TimeKeys.class, random -> new Time(random.aMillis())),
                kind(Duration.class, DurationPlaces.class, DurationKeys.class, RandomValues::aDuration),
                kind(Instant.class, InstantPlaces.class, InstantKeys.class, RandomValues::anInstant),
                kind(LocalDate.class, LocalDatePlaces.class, LocalDateKeys.class, RandomValues::aLocalDate),
                kind(LocalTime.class, LocalTimePlaces.class, LocalTimeKeys.class, RandomValues::aLocalTime),
                kind(
                        LocalDateTime.class,
                        LocalDateTimePlaces.class,
                        LocalDateTimeKeys.class,
                        RandomValues::aLocalDateTime),
                kind(ZoneOffset.class, ZoneOffsetPlaces.class, ZoneOffsetKeys.class, RandomValues::anOffset),
                kind(ZoneId.class, ZoneIdPlaces.class, ZoneIdKeys.class, RandomValues::aZone),
                kind(OffsetTime.class, OffsetTimePlaces.class, OffsetTimeKeys.class, RandomValues::anOffsetTime),
                kind(
                        OffsetDateTime.class,
                        OffsetDateTimePlaces.class,
                        OffsetDateTimeKeys.class,
                        RandomValues::anOffsetDateTime),
                kind(
                        ZonedDateTime.class,
                        ZonedDateTimePlaces.class,
                        ZonedDateTimeKeys.class,
                        RandomValues::aZonedDateTime),
                kind(Year.class, YearPlaces.class, YearKeys.class, RandomValues::aYear),
                kind(YearMonth.class, YearMonthPlaces.class, YearMonthKeys.class, RandomValues::aYearMonth),
                kind(MonthDay.class, MonthDayPlaces.class, MonthDayKeys.class, RandomValues::aMonthDay),
                kind(Period.class, PeriodPlaces.class, PeriodKeys.class, RandomValues::aPeriod),
                kind(OptionalInt.class, OptionalIntPlaces.class, null, RandomValues::anOptionalInt),
                kind(OptionalLong.class, OptionalLongPlaces.class, null, RandomValues::anOptionalLong),
                kind(OptionalDouble.class, OptionalDoublePlaces.class, null, RandomValues::anOptionalDouble),
                kind(ByteBuffer.class, ByteBufferPlaces.class, null, RandomValues::aBuffer),
                kind(MemorySegment.class, MemorySegmentPlaces.class, null, RandomValues::aSegment),
                kind(byte[].class, ByteArrayPlaces.class, null, RandomValues::bytes),
                kind(short[].class, ShortArrayPlaces.class, null, RandomValues::shorts),
                kind(int[].class, IntArrayPlaces.class, null, RandomValues::ints),
                kind(long[].class, LongArrayPlaces.class, null, RandomValues::longs),
                kind(float[].class, FloatArrayPlaces.class, null, RandomValues::floats),
                kind(double[].class, DoubleArrayPlaces.class, null, RandomValues::doubles),
                kind(char[].class, CharArrayPlaces.class, null, RandomValues::chars),
                kind(boolean[].class, BooleanArrayPlaces.class, null, RandomValues::flags),
                kind(String[].class, StringArrayPlaces.class, null, RandomValues::strings),
                kind(Mood.class, MoodPlaces.class, MoodKeys.class, random -> random.constant(Mood.class)),
                kind(
                        Point.class,
                        PointPlaces.class,
                        PointKeys.class,
                        random -> new Point(random.anInt(), random.aString())),
                kind(
                        Shape.class,
                        ShapePlaces.class,
                        null,
                        random -> random.aBoolean() ? Nothing.HERE : new Point2(random.aDouble(), Mood.BAD)));
    }

    static Stream<Arguments> kindsAndFormats() {
        return kinds().stream().flatMap(kind -> Stream.of(Format.values()).map(format -> Arguments.of(kind, format)));
    }

    @ParameterizedTest
    @MethodSource("kindsAndFormats")
    <T> void shouldArriveEqualInEveryPosition(Kind<T> kind, Format format) {
        CodecFixture codec = format.fixture(kind.places());
        RandomValues random = new RandomValues(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            T value = kind.values().apply(random);
            T other = kind.values().apply(random);
            // In JSON a null optional arrives empty.
            T absent = format == Format.JSON && kind.isOptional() ? other : null;
            List<T> list = new ArrayList<>(Arrays.asList(value, absent, other));
            Map<String, T> map = new LinkedHashMap<>();
            map.put("", value);
            map.put("null", absent);
            T[] array = array(kind.type(), value, absent, other);
            T[] none = array(kind.type());
            arrives(codec, format, "value", value);
            arrives(codec, format, "list", list);
            arrives(codec, format, "nested", Arrays.asList(list, null, List.of()));
            arrives(codec, format, "values", map);
            arrives(codec, format, "optional", Optional.of(value));
            arrives(codec, format, "array", array);
            arrives(codec, format, "arrays", array(kind.type().arrayType(), array, null, none));
            arrives(codec, format, "holder", new Holder<>(value, list, map, Optional.of(other), array, value));
            Fields<T> fields = new Fields<>();
            fields.value = value;
            fields.list = list;
            fields.array = array;
            arrives(codec, format, "fields", fields);
            arrives(codec, format, "any", value);
            arrives(codec, format, "any", list);
        }
        if (format != Format.JSON || !kind.isOptional()) {
            arrives(codec, format, "value", null);
            arrives(codec, format, "holder", new Holder<>(null, null, null, Optional.empty(), null, null));
            arrives(codec, format, "fields", new Fields<T>());
        }
        arrives(codec, format, "list", List.of());
        if (format != Format.JSON || !kind.isOptional()) {
            arrives(codec, format, "optional", Optional.empty());
        }
        arrives(codec, format, "array", null);
        arrives(codec, format, "array", array(kind.type()));
    }

    static Stream<Arguments> keysAndFormats() {
        return kinds().stream()
                .filter(kind -> kind.keys() != null)
                .flatMap(kind -> Stream.of(Format.values()).map(format -> Arguments.of(kind, format)));
    }

    /** JSON does not support every type as a key. It rejects such keys instead of changing them. */
    @ParameterizedTest
    @MethodSource("keysAndFormats")
    <T> void shouldArriveEqualAsAKey(Kind<T> kind, Format format) {
        CodecFixture codec = format.fixture(Objects.requireNonNull(kind.keys()));
        RandomValues random = new RandomValues(SEED);
        for (int i = 0; i < ROUNDS; i++) {
            Map<T, String> map = new LinkedHashMap<>();
            map.put(kind.values().apply(random), "value");
            map.put(kind.values().apply(random), null);
            try {
                arrives(codec, format, "keys", map);
            } catch (RdmaSerializationException e) {
                assertThat(format).as(e.toString()).isEqualTo(Format.JSON);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T[] array(Class<?> type, @Nullable Object... elements) {
        T[] array = (T[]) Array.newInstance(type, elements.length);
        System.arraycopy(elements, 0, array, 0, elements.length);
        return array;
    }

    private static void arrives(CodecFixture codec, Format format, String method, @Nullable Object value) {
        Object argument = codec.copyArguments(method, value)[0];
        Object result = codec.copyResult(method, value);
        boolean exact = format != Format.JSON;
        assertThat(same(value, argument, exact))
                .as("%s of %s became %s", method, text(value), text(argument))
                .isTrue();
        assertThat(same(value, result, exact))
                .as("%s of %s became %s", method, text(value), text(result))
                .isTrue();
    }

    private static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case Object[] array -> Arrays.deepToString(array);
            case Fields<?> fields -> "fields " + fields.value;
            default -> value.getClass().getSimpleName() + " " + value;
        };
    }

    /** Compares with {@code equals}, the elements of arrays, and the exact bits of floating-point numbers. */
    private static boolean same(@Nullable Object a, @Nullable Object b, boolean exact) {
        return switch (a) {
            case null -> b == null;
            case Object[] array ->
                b instanceof Object[] other
                        && array.getClass() == other.getClass()
                        && same(Arrays.asList(array), Arrays.asList(other), exact);
            case MemorySegment segment -> b instanceof MemorySegment other && segment.mismatch(other) == -1;
            case Collection<?> elements -> b instanceof Collection<?> other && sameElements(elements, other, exact);
            case Map<?, ?> map ->
                b instanceof Map<?, ?> other
                        && sameElements(map.keySet(), other.keySet(), exact)
                        && sameElements(map.values(), other.values(), exact);
            case Optional<?> optional ->
                b instanceof Optional<?> other && same(optional.orElse(null), other.orElse(null), exact);
            case Holder<?> holder ->
                b instanceof Holder<?> other
                        && same(holder.value, other.value, exact)
                        && same(holder.list, other.list, exact)
                        && same(holder.values, other.values, exact)
                        && same(holder.optional, other.optional, exact)
                        && same(holder.array, other.array, exact)
                        && same(holder.any, other.any, exact);
            case Fields<?> fields ->
                b instanceof Fields<?> other
                        && same(fields.value, other.value, exact)
                        && same(fields.list, other.list, exact)
                        && same(fields.array, other.array, exact);
            case Double number
            when exact ->
                b instanceof Double other && Double.doubleToRawLongBits(number) == Double.doubleToRawLongBits(other);
            case Float number
            when exact -> b instanceof Float other && Float.floatToRawIntBits(number) == Float.floatToRawIntBits(other);
            default ->
                b != null
                        && a.getClass() == b.getClass()
                        && (a.getClass().isArray()
                                ? Arrays.deepEquals(new Object[] {a}, new Object[] {b})
                                : a.equals(b));
        };
    }

    private static boolean sameElements(Collection<?> a, Collection<?> b, boolean exact) {
        Iterator<?> others = b.iterator();
        return a.size() == b.size() && a.stream().allMatch(each -> same(each, others.next(), exact));
    }
}
