package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.BooleanArray;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.BytesOfBuffer;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.BytesOfSegment;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.BytesOfToken;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Decimal;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Elements;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.Entries;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.ObjectArray;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.TextOfLocale;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.TokenOfRegion;
import io.rdmarpc.service.codec.kryo.value.BoundedSerializers.WholeNumber;
import io.rdmarpc.service.codec.kryo.value.SortedSerializers.OrderedElements;
import io.rdmarpc.service.codec.kryo.value.SortedSerializers.OrderedEntries;
import io.rdmarpc.service.codec.type.SqlTypes;
import io.rdmarpc.service.codec.type.StandardTypes;
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
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.PriorityBlockingQueue;

/**
 * The serializers of the {@linkplain StandardTypes standard types}. The serializer of a carrier of collections or
 * maps reads into the carrier class.
 */
public final class StandardSerializers {

    /** Types with serializers of Kryo that are not public. */
    private static final List<Class<?>> MADE_BY_KRYO = List.of(
            Optional.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class,
            Duration.class,
            Instant.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            ZoneOffset.class,
            ZoneId.class,
            OffsetTime.class,
            OffsetDateTime.class,
            Year.class,
            YearMonth.class,
            MonthDay.class,
            Period.class);

    /** Serializers that all Kryos share, because they hold no state of a message. */
    private static final Map<Class<?>, Serializer<?>> SHARED = shared();

    private StandardSerializers() {}

    @SuppressWarnings("JdkObsolete") // Applications send LinkedList.
    private static Map<Class<?>, Serializer<?>> shared() {
        Map<Class<?>, Serializer<?>> all = new HashMap<>();
        all.put(byte[].class, new DefaultArraySerializers.ByteArraySerializer());
        all.put(short[].class, new DefaultArraySerializers.ShortArraySerializer());
        all.put(int[].class, new DefaultArraySerializers.IntArraySerializer());
        all.put(long[].class, new DefaultArraySerializers.LongArraySerializer());
        all.put(float[].class, new DefaultArraySerializers.FloatArraySerializer());
        all.put(double[].class, new DefaultArraySerializers.DoubleArraySerializer());
        all.put(boolean[].class, new BooleanArray());
        all.put(char[].class, new DefaultArraySerializers.CharArraySerializer());
        all.put(Object[].class, new ObjectArray(Object.class));
        all.put(String[].class, new ObjectArray(String.class));
        all.put(ArrayList.class, new Elements());
        all.put(LinkedHashSet.class, new Elements(LinkedHashSet::newLinkedHashSet));
        all.put(TreeSet.class, Elements.sorted(TreeSet::new));
        all.put(ArrayDeque.class, new Elements(ArrayDeque::new));
        all.put(LinkedHashMap.class, new Entries(LinkedHashMap::newLinkedHashMap));
        all.put(TreeMap.class, Entries.sorted(TreeMap::new));
        all.put(BigInteger.class, new WholeNumber());
        all.put(BigDecimal.class, new Decimal());
        all.put(UUID.class, new DefaultSerializers.UUIDSerializer());
        all.put(URI.class, new DefaultSerializers.URISerializer());
        all.put(Locale.class, new TextOfLocale());
        all.put(Currency.class, new DefaultSerializers.CurrencySerializer());
        all.put(BitSet.class, new DefaultSerializers.BitSetSerializer());
        all.put(Date.class, new DefaultSerializers.DateSerializer());
        all.put(ZonedDateTime.class, new ZonedDateTimeSerializer());
        all.put(ByteBuffer.class, new BytesOfBuffer());
        all.put(MemorySegment.class, new BytesOfSegment());
        all.put(RegionToken.class, new BytesOfToken());
        all.put(RemoteRegion.class, new TokenOfRegion());
        all.put(EnumSet.class, new EnumContainers.OfSet());
        all.put(EnumMap.class, new EnumContainers.OfMap());
        all.put(LinkedList.class, new Elements(size -> new LinkedList<>()));
        all.put(PriorityQueue.class, Elements.sorted(PriorityQueue::new));
        all.put(PriorityBlockingQueue.class, Elements.sorted(PriorityBlockingQueue::new));
        all.put(LinkedBlockingQueue.class, new Elements(size -> new LinkedBlockingQueue<>()));
        all.put(LinkedBlockingDeque.class, new Elements(size -> new LinkedBlockingDeque<>()));
        all.put(LinkedTransferQueue.class, new Elements(size -> new LinkedTransferQueue<>()));
        all.put(ConcurrentHashMap.class, new Entries(ConcurrentHashMap::new));
        all.put(ConcurrentSkipListMap.class, Entries.sorted(ConcurrentSkipListMap::new));
        all.put(ConcurrentSkipListSet.class, Elements.sorted(ConcurrentSkipListSet::new));
        all.put(StandardTypes.orderedOf(TreeSet.class), new OrderedElements(TreeSet::new));
        all.put(StandardTypes.orderedOf(TreeMap.class), new OrderedEntries(TreeMap::new));
        all.put(StandardTypes.orderedOf(ConcurrentSkipListSet.class), new OrderedElements(ConcurrentSkipListSet::new));
        all.put(StandardTypes.orderedOf(ConcurrentSkipListMap.class), new OrderedEntries(ConcurrentSkipListMap::new));
        all.put(StandardTypes.orderedOf(PriorityQueue.class), new OrderedElements(PriorityQueue::new));
        all.put(
                StandardTypes.orderedOf(PriorityBlockingQueue.class),
                new OrderedElements(order -> new PriorityBlockingQueue<>(11, order)));
        if (SqlTypes.arePresent()) {
            all.put(SqlTypes.timestamp(), SqlSerializers.ofTimestamps());
            all.put(SqlTypes.date(), SqlSerializers.ofDates());
            all.put(SqlTypes.time(), SqlSerializers.ofTimes());
        }
        return Map.copyOf(all);
    }

    static void register(Kryo kryo) {
        register(kryo, StandardTypes.frequent(), StandardTypes.FIRST_ID);
        register(kryo, StandardTypes.rare(), StandardTypes.FIRST_RARE_ID);
    }

    private static void register(Kryo kryo, List<Class<?>> types, int firstId) {
        for (int i = 0; i < types.size(); i++) {
            Class<?> type = types.get(i);
            Serializer<?> serializer = MADE_BY_KRYO.contains(type)
                    ? kryo.getDefaultSerializer(type)
                    : Objects.requireNonNull(SHARED.get(type), () -> type + " has no serializer");
            kryo.register(new Registration(type, serializer, firstId + i));
        }
    }

    /** Returns the types whose serializers Kryo instantiates by reflection. */
    public static List<Class<?>> madeByKryo() {
        return MADE_BY_KRYO;
    }
}
