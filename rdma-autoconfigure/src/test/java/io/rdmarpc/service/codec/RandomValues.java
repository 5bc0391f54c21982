package io.rdmarpc.service.codec;

import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
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
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Currency;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;

/** Random values of the supported types. Extreme and special values have a higher probability. */
@SuppressWarnings({"JavaUtilDate", "TimeZoneUsage"})
final class RandomValues {

    private static final List<String> ZONES =
            ZoneId.getAvailableZoneIds().stream().sorted().toList();
    private static final List<Locale> LOCALES = List.of(
            Locale.ROOT,
            Locale.of("no", "NO", "NY"),
            Locale.of("ja", "JP", "JP"),
            Locale.of("th", "TH", "TH"),
            Locale.of("", "US"),
            Locale.of("iw"),
            Locale.of("en", "US", "POSIX"),
            Locale.of("es", "ES", "Traditional_WIN"),
            Locale.of("", "", "odd"),
            Locale.of("overlonglanguage", "1234"),
            Locale.of("de", "DE", "a_b-c"),
            Locale.of("x y", "Z", "ü"),
            Locale.forLanguageTag("sr-Latn-RS"),
            Locale.forLanguageTag("zh-cmn-Hans-CN"),
            Locale.forLanguageTag("de-DE-u-co-phonebk-x-private-one"),
            Locale.forLanguageTag("und-x-lvariant-Odd"),
            Locale.forLanguageTag("en-a-bbb-ccc-u-attr-ca-buddhist-x-y"),
            Locale.forLanguageTag("sl-rozaj-biske-1994"),
            Locale.forLanguageTag("x-only-private"),
            Locale.forLanguageTag("i-klingon"));
    private static final long[] LONGS = {
        0,
        1,
        -1,
        63,
        64,
        -64,
        -65,
        127,
        128,
        255,
        256,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };
    private static final double[] DOUBLES = {
        0.0,
        -0.0,
        1.5,
        Double.MIN_VALUE,
        Double.MAX_VALUE,
        Double.NEGATIVE_INFINITY,
        Double.POSITIVE_INFINITY,
        Double.NaN,
        Double.longBitsToDouble(0x7ff8_0000_dead_beefL),
        Double.longBitsToDouble(0xfff0_0000_0000_0001L)
    };
    private static final float[] FLOATS = {
        0f,
        -0f,
        0.1f,
        Float.MIN_VALUE,
        -Float.MAX_VALUE,
        Float.NaN,
        Float.POSITIVE_INFINITY,
        Float.intBitsToFloat(0x7fc0_beef),
        Float.intBitsToFloat(0xff80_0001)
    };

    private final Random random;

    RandomValues(long seed) {
        this.random = new Random(seed);
    }

    private boolean sometimes() {
        return random.nextInt(3) == 0;
    }

    private <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    Long aLong() {
        return sometimes() ? LONGS[random.nextInt(LONGS.length)] : random.nextLong() >> random.nextInt(64);
    }

    Integer anInt() {
        return aLong().intValue();
    }

    Short aShort() {
        return aLong().shortValue();
    }

    Byte aByte() {
        return aLong().byteValue();
    }

    Boolean aBoolean() {
        return random.nextBoolean();
    }

    Character aChar() {
        return sometimes() ? (char) ('\uD800' + random.nextInt(0x800)) : (char) random.nextInt(0x10000);
    }

    Double aDouble() {
        return sometimes() ? DOUBLES[random.nextInt(DOUBLES.length)] : Double.longBitsToDouble(random.nextLong());
    }

    Float aFloat() {
        return sometimes() ? FLOATS[random.nextInt(FLOATS.length)] : Float.intBitsToFloat(random.nextInt());
    }

    String aString() {
        StringBuilder text = new StringBuilder();
        int length = sometimes() ? 0 : random.nextInt(sometimes() ? 200 : 20);
        int kind = random.nextInt(4);
        for (int i = 0; i < length; i++) {
            switch (kind) {
                case 0 -> text.append((char) random.nextInt(128));
                case 1 -> text.append((char) random.nextInt(256));
                case 2 -> text.appendCodePoint(random.nextInt(0x110000));
                default -> text.append(aChar());
            }
        }
        return text.toString();
    }

    BigInteger anInteger() {
        BigInteger value = new BigInteger(random.nextInt(sometimes() ? 3000 : 130), random);
        return random.nextBoolean() ? value : value.negate();
    }

    BigDecimal aDecimal() {
        int scale = switch (random.nextInt(5)) {
            case 0 -> 0;
            case 1 -> 2;
            case 2 -> random.nextInt(-400, 400);
            default -> random.nextInt(-20, 20);
        };
        return new BigDecimal(sometimes() ? BigInteger.valueOf(aLong()) : anInteger(), scale);
    }

    UUID aUuid() {
        return new UUID(aLong(), aLong());
    }

    URI aUri() {
        return oneOf(List.of(
                URI.create(""),
                URI.create("mailto:a@b.example"),
                URI.create("rdma://user@host:7471/a%20b/../c?q=%C3%A9#f"),
                URI.create("urn:isbn:0451450523"),
                URI.create("//host"),
                URI.create("file:///x"),
                URI.create("file:/x"),
                URI.create("http://[::1]:80/"),
                URI.create("path/é?日本=語"),
                URI.create("HTTP://Host.example/%c3%A9"),
                URI.create("x:///" + random.nextInt())));
    }

    Locale aLocale() {
        return oneOf(sometimes() ? Arrays.asList(Locale.getAvailableLocales()) : LOCALES);
    }

    Currency aCurrency() {
        return oneOf(Currency.getAvailableCurrencies().stream()
                .sorted((a, b) -> a.getCurrencyCode().compareTo(b.getCurrencyCode()))
                .toList());
    }

    BitSet aBitSet() {
        long[] words = random.longs(random.nextInt(4)).toArray();
        BitSet bits = BitSet.valueOf(words);
        if (sometimes()) {
            bits.clear(0, bits.length());
        }
        return bits;
    }

    Date aDate() {
        return new Date(aMillis());
    }

    long aMillis() {
        return aLong();
    }

    Duration aDuration() {
        return sometimes()
                ? oneOf(List.of(
                        Duration.ZERO,
                        Duration.ofNanos(-1),
                        Duration.ofSeconds(Long.MAX_VALUE, 999_999_999),
                        Duration.ofSeconds(Long.MIN_VALUE)))
                : Duration.ofSeconds(aLong() >> 1, random.nextInt(1_000_000_000));
    }

    Instant anInstant() {
        return sometimes()
                ? oneOf(List.of(Instant.MIN, Instant.MAX, Instant.EPOCH))
                : Instant.ofEpochSecond(random.nextLong(-31557014167219200L, 31556889864403200L), nanos());
    }

    private int nanos() {
        return sometimes() ? 0 : random.nextInt(1_000_000_000);
    }

    LocalDate aLocalDate() {
        return sometimes()
                ? oneOf(List.of(
                        LocalDate.MIN, LocalDate.MAX, LocalDate.EPOCH, LocalDate.of(0, 2, 29), LocalDate.of(-1, 1, 1)))
                : LocalDate.ofEpochDay(random.nextInt() >> random.nextInt(20));
    }

    LocalTime aLocalTime() {
        return sometimes()
                ? oneOf(List.of(LocalTime.MIN, LocalTime.MAX, LocalTime.NOON, LocalTime.of(1, 2, 3)))
                : LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L));
    }

    LocalDateTime aLocalDateTime() {
        return LocalDateTime.of(aLocalDate(), aLocalTime());
    }

    ZoneOffset anOffset() {
        return sometimes()
                ? oneOf(List.of(ZoneOffset.UTC, ZoneOffset.MIN, ZoneOffset.MAX, ZoneOffset.ofTotalSeconds(-1)))
                : ZoneOffset.ofTotalSeconds(random.nextInt(-64800, 64801));
    }

    ZoneId aZone() {
        return sometimes()
                ? oneOf(List.of(
                        ZoneId.of("UTC+01:00"), ZoneId.of("GMT0"), ZoneId.of("UT-03:30"), ZoneOffset.UTC, anOffset()))
                : ZoneId.of(oneOf(ZONES));
    }

    OffsetTime anOffsetTime() {
        return OffsetTime.of(aLocalTime(), anOffset());
    }

    OffsetDateTime anOffsetDateTime() {
        return sometimes()
                ? oneOf(List.of(OffsetDateTime.MIN, OffsetDateTime.MAX))
                : OffsetDateTime.of(aLocalDateTime(), anOffset());
    }

    /** Often at a change of the zone's offset, with either offset. */
    ZonedDateTime aZonedDateTime() {
        ZoneId zone = aZone();
        List<ZoneOffsetTransition> changes = zone.getRules().getTransitions();
        if (changes.isEmpty() || sometimes()) {
            return ZonedDateTime.of(LocalDateTime.of(random.nextInt(-9000, 9000), 5, 6, 7, 8, 9, nanos()), zone);
        }
        ZoneOffsetTransition change = oneOf(changes);
        LocalDateTime local = sometimes() ? change.getDateTimeBefore() : change.getDateTimeAfter();
        return ZonedDateTime.ofLocal(
                local.plusSeconds(random.nextInt(-1, 2)),
                zone,
                random.nextBoolean() ? change.getOffsetBefore() : change.getOffsetAfter());
    }

    Year aYear() {
        return Year.of(
                sometimes() ? oneOf(List.of(Year.MIN_VALUE, Year.MAX_VALUE, 0, -1, 12)) : random.nextInt(-5000, 5000));
    }

    YearMonth aYearMonth() {
        return YearMonth.of(aYear().getValue(), random.nextInt(1, 13));
    }

    MonthDay aMonthDay() {
        return sometimes() ? MonthDay.of(2, 29) : MonthDay.of(random.nextInt(1, 13), random.nextInt(1, 29));
    }

    Period aPeriod() {
        return Period.of(anInt(), anInt(), anInt());
    }

    OptionalInt anOptionalInt() {
        return sometimes() ? OptionalInt.empty() : OptionalInt.of(anInt());
    }

    OptionalLong anOptionalLong() {
        return sometimes() ? OptionalLong.empty() : OptionalLong.of(aLong());
    }

    OptionalDouble anOptionalDouble() {
        return sometimes() ? OptionalDouble.empty() : OptionalDouble.of(aDouble());
    }

    byte[] bytes() {
        byte[] bytes = new byte[sometimes() ? 0 : random.nextInt(6000)];
        random.nextBytes(bytes);
        return bytes;
    }

    ByteBuffer aBuffer() {
        return ByteBuffer.wrap(bytes());
    }

    MemorySegment aSegment() {
        return MemorySegment.ofArray(bytes());
    }

    int[] ints() {
        return random.ints(random.nextInt(5)).map(each -> anInt()).toArray();
    }

    long[] longs() {
        return random.longs(random.nextInt(5)).map(each -> aLong()).toArray();
    }

    double[] doubles() {
        return random.doubles(random.nextInt(5)).map(each -> aDouble()).toArray();
    }

    float[] floats() {
        float[] floats = new float[random.nextInt(5)];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = aFloat();
        }
        return floats;
    }

    short[] shorts() {
        short[] shorts = new short[random.nextInt(5)];
        for (int i = 0; i < shorts.length; i++) {
            shorts[i] = aShort();
        }
        return shorts;
    }

    char[] chars() {
        return aString().toCharArray();
    }

    boolean[] flags() {
        boolean[] flags = new boolean[random.nextInt(20)];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = random.nextBoolean();
        }
        return flags;
    }

    String[] strings() {
        List<String> strings = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            strings.add(sometimes() ? null : aString());
        }
        return strings.toArray(String[]::new);
    }

    <E extends Enum<E>> E constant(Class<E> type) {
        return oneOf(List.of(type.getEnumConstants()));
    }
}
