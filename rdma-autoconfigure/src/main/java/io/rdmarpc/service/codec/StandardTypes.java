package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import io.rdmarpc.remote.RegionToken;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.service.codec.BoundedSerializers.BooleanArray;
import io.rdmarpc.service.codec.BoundedSerializers.BytesOfBuffer;
import io.rdmarpc.service.codec.BoundedSerializers.BytesOfSegment;
import io.rdmarpc.service.codec.BoundedSerializers.BytesOfToken;
import io.rdmarpc.service.codec.BoundedSerializers.Decimal;
import io.rdmarpc.service.codec.BoundedSerializers.Elements;
import io.rdmarpc.service.codec.BoundedSerializers.Entries;
import io.rdmarpc.service.codec.BoundedSerializers.LanguageTag;
import io.rdmarpc.service.codec.BoundedSerializers.ObjectArray;
import io.rdmarpc.service.codec.BoundedSerializers.TokenOfRegion;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Currency;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The types that every service knows, those of the JDK and the token of a region, with the numbers they have in messages. The order of {@link #TYPES} is part of
 * the wire format: add at the end only.
 *
 * <p>Of collections and maps there is one carrier for each kind. Any other implementation, such as {@code List.of},
 * {@code Collections.unmodifiableList} or {@code HashMap}, travels as its carrier and arrives as such: equal to what was
 * sent, in the same order, and modifiable. A declared class of its own, such as {@code HashMap} as a parameter's type,
 * arrives as declared.
 */
final class StandardTypes {

    /** After the primitives and String, which Kryo numbers itself. */
    static final int FIRST_ID = 10;

    /** Leaves room for standard types to come; up to 125 a class takes one byte in a message. */
    static final int FIRST_SERVICE_ID = 64;

    private static final List<Standard> TYPES = List.of(
            of(byte[].class, new DefaultArraySerializers.ByteArraySerializer()),
            of(short[].class, new DefaultArraySerializers.ShortArraySerializer()),
            of(int[].class, new DefaultArraySerializers.IntArraySerializer()),
            of(long[].class, new DefaultArraySerializers.LongArraySerializer()),
            of(float[].class, new DefaultArraySerializers.FloatArraySerializer()),
            of(double[].class, new DefaultArraySerializers.DoubleArraySerializer()),
            of(boolean[].class, new BooleanArray()),
            of(char[].class, new DefaultArraySerializers.CharArraySerializer()),
            of(Object[].class, new ObjectArray(Object.class)),
            of(String[].class, new ObjectArray(String.class)),
            of(ArrayList.class, new Elements()),
            of(LinkedHashSet.class, new Elements(LinkedHashSet::newLinkedHashSet)),
            of(TreeSet.class, new Elements(size -> new TreeSet<>())),
            of(ArrayDeque.class, new Elements(ArrayDeque::new)),
            of(LinkedHashMap.class, new Entries(LinkedHashMap::newLinkedHashMap)),
            of(TreeMap.class, new Entries(size -> new TreeMap<>())),
            kryos(Optional.class),
            kryos(OptionalInt.class),
            kryos(OptionalLong.class),
            kryos(OptionalDouble.class),
            of(BigInteger.class, new DefaultSerializers.BigIntegerSerializer()),
            of(BigDecimal.class, new Decimal()),
            of(UUID.class, new DefaultSerializers.UUIDSerializer()),
            of(URI.class, new DefaultSerializers.URISerializer()),
            of(Locale.class, new LanguageTag()),
            of(Currency.class, new DefaultSerializers.CurrencySerializer()),
            of(BitSet.class, new DefaultSerializers.BitSetSerializer()),
            of(Date.class, new DefaultSerializers.DateSerializer()),
            kryos(Duration.class),
            kryos(Instant.class),
            kryos(LocalDate.class),
            kryos(LocalTime.class),
            kryos(LocalDateTime.class),
            kryos(ZoneOffset.class),
            kryos(ZoneId.class),
            kryos(OffsetTime.class),
            kryos(OffsetDateTime.class),
            of(ZonedDateTime.class, new ZonedDateTimeSerializer()),
            kryos(Year.class),
            kryos(YearMonth.class),
            kryos(MonthDay.class),
            kryos(Period.class),
            of(ByteBuffer.class, new BytesOfBuffer()),
            of(MemorySegment.class, new BytesOfSegment()),
            of(RegionToken.class, new BytesOfToken()),
            of(RemoteRegion.class, new TokenOfRegion()));

    private static final Set<Class<?>> CLASSES =
            Set.copyOf(TYPES.stream().<Class<?>>map(Standard::type).toList());

    private static final Set<Class<?>> LEAVES =
            Set.copyOf(all().stream().filter(type -> !holdsOthers(type)).toList());

    private StandardTypes() {}

    private static boolean holdsOthers(Class<?> type) {
        return type == Optional.class
                || Object[].class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type);
    }

    /** Tells whether it is a standard type whose values have no others inside. */
    static boolean isLeaf(Class<?> type) {
        return LEAVES.contains(type);
    }

    private record Standard(Class<?> type, Function<Kryo, Serializer<?>> serializer, boolean madeByKryo) {}

    private static Standard of(Class<?> type, Serializer<?> stateless) {
        return new Standard(type, kryo -> stateless, false);
    }

    /** Kryo has a serializer for it that is not public. */
    private static Standard kryos(Class<?> type) {
        return new Standard(type, kryo -> kryo.getDefaultSerializer(type), true);
    }

    static void register(Kryo kryo) {
        IntStream.range(0, TYPES.size()).forEach(index -> {
            Standard standard = TYPES.get(index);
            kryo.register(
                    new Registration(standard.type(), standard.serializer().apply(kryo), FIRST_ID + index));
        });
    }

    /** Those whose serializers Kryo makes by reflection. */
    static List<Class<?>> madeByKryo() {
        return TYPES.stream()
                .filter(Standard::madeByKryo)
                .<Class<?>>map(Standard::type)
                .toList();
    }

    /** The standard types, and the boxes of primitive values. */
    static List<Class<?>> all() {
        List<Class<?>> all = new ArrayList<>(CLASSES);
        all.addAll(List.of(
                String.class,
                Boolean.class,
                Byte.class,
                Short.class,
                Character.class,
                Integer.class,
                Long.class,
                Float.class,
                Double.class));
        return all;
    }

    static boolean contains(Class<?> type) {
        return CLASSES.contains(type);
    }

    /** Tells whether a value of a standard type, or a string or number, can stand for a type. */
    static boolean anyIsA(Class<?> type) {
        return type.isAssignableFrom(String.class)
                || type.isAssignableFrom(Integer.class)
                || CLASSES.stream().anyMatch(type::isAssignableFrom);
    }

    /** Finds the standard type that a value of another class travels as, null when there is none. */
    static @Nullable Class<?> carrierOf(Class<?> type) {
        if (Map.class.isAssignableFrom(type)) {
            return SortedMap.class.isAssignableFrom(type) ? TreeMap.class : LinkedHashMap.class;
        }
        if (Collection.class.isAssignableFrom(type)) {
            return collectionCarrierOf(type);
        }
        if (ByteBuffer.class.isAssignableFrom(type)) {
            return ByteBuffer.class;
        }
        if (MemorySegment.class.isAssignableFrom(type)) {
            return MemorySegment.class;
        }
        return ZoneId.class.isAssignableFrom(type) ? ZoneId.class : null;
    }

    private static Class<?> collectionCarrierOf(Class<?> type) {
        if (Set.class.isAssignableFrom(type)) {
            return SortedSet.class.isAssignableFrom(type) ? TreeSet.class : LinkedHashSet.class;
        }
        boolean queue = Queue.class.isAssignableFrom(type) && !List.class.isAssignableFrom(type);
        return queue ? ArrayDeque.class : ArrayList.class;
    }
}
