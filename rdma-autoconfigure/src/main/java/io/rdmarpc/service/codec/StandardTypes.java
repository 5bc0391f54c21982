package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.serializers.DefaultArraySerializers;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.service.codec.BoundedSerializers.BooleanArray;
import io.rdmarpc.service.codec.BoundedSerializers.BytesOfBuffer;
import io.rdmarpc.service.codec.BoundedSerializers.BytesOfSegment;
import io.rdmarpc.service.codec.BoundedSerializers.BytesOfToken;
import io.rdmarpc.service.codec.BoundedSerializers.Decimal;
import io.rdmarpc.service.codec.BoundedSerializers.Elements;
import io.rdmarpc.service.codec.BoundedSerializers.Entries;
import io.rdmarpc.service.codec.BoundedSerializers.ObjectArray;
import io.rdmarpc.service.codec.BoundedSerializers.TextOfLocale;
import io.rdmarpc.service.codec.BoundedSerializers.TokenOfRegion;
import io.rdmarpc.service.codec.BoundedSerializers.WholeNumber;
import io.rdmarpc.service.codec.SortedSerializers.OrderedElements;
import io.rdmarpc.service.codec.SortedSerializers.OrderedEntries;
import io.rdmarpc.service.codec.SortedSerializers.OrderedPriorityBlockingQueue;
import io.rdmarpc.service.codec.SortedSerializers.OrderedPriorityQueue;
import io.rdmarpc.service.codec.SortedSerializers.OrderedSkipListMap;
import io.rdmarpc.service.codec.SortedSerializers.OrderedSkipListSet;
import io.rdmarpc.service.codec.SortedSerializers.OrderedTreeMap;
import io.rdmarpc.service.codec.SortedSerializers.OrderedTreeSet;
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
import java.util.EnumMap;
import java.util.EnumSet;
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
import java.util.Queue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
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
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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

    /** Behind those that services count up to, and before those that are made from names. */
    static final int FIRST_RARE_ID = (1 << 14) - 256;

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
            of(TreeSet.class, Elements.sorted(TreeSet::new)),
            of(ArrayDeque.class, new Elements(ArrayDeque::new)),
            of(LinkedHashMap.class, new Entries(LinkedHashMap::newLinkedHashMap)),
            of(TreeMap.class, Entries.sorted(TreeMap::new)),
            kryos(Optional.class),
            kryos(OptionalInt.class),
            kryos(OptionalLong.class),
            kryos(OptionalDouble.class),
            of(BigInteger.class, new WholeNumber()),
            of(BigDecimal.class, new Decimal()),
            of(UUID.class, new DefaultSerializers.UUIDSerializer()),
            of(URI.class, new DefaultSerializers.URISerializer()),
            of(Locale.class, new TextOfLocale()),
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
            of(RemoteRegion.class, new TokenOfRegion()),
            of(EnumSet.class, new EnumContainers.OfSet()),
            of(EnumMap.class, new EnumContainers.OfMap()));

    @SuppressWarnings("JdkObsolete") // A LinkedList is what applications send.
    private static final List<Standard> CONTAINERS = List.of(
            of(LinkedList.class, new Elements(size -> new LinkedList<>())),
            of(PriorityQueue.class, Elements.sorted(PriorityQueue::new)),
            of(PriorityBlockingQueue.class, Elements.sorted(PriorityBlockingQueue::new)),
            of(LinkedBlockingQueue.class, new Elements(size -> new LinkedBlockingQueue<>())),
            of(LinkedBlockingDeque.class, new Elements(size -> new LinkedBlockingDeque<>())),
            of(LinkedTransferQueue.class, new Elements(size -> new LinkedTransferQueue<>())),
            of(ConcurrentHashMap.class, new Entries(ConcurrentHashMap::new)),
            of(ConcurrentSkipListMap.class, Entries.sorted(ConcurrentSkipListMap::new)),
            of(ConcurrentSkipListSet.class, Elements.sorted(ConcurrentSkipListSet::new)),
            of(OrderedTreeSet.class, new OrderedElements(TreeSet::new)),
            of(OrderedTreeMap.class, new OrderedEntries(TreeMap::new)),
            of(OrderedSkipListSet.class, new OrderedElements(ConcurrentSkipListSet::new)),
            of(OrderedSkipListMap.class, new OrderedEntries(ConcurrentSkipListMap::new)),
            of(OrderedPriorityQueue.class, new OrderedElements(PriorityQueue::new)),
            of(
                    OrderedPriorityBlockingQueue.class,
                    new OrderedElements(order -> new PriorityBlockingQueue<>(11, order))));

    /**
     * Types that are rarely met have numbers of two bytes, from {@link #FIRST_RARE_ID}. New ones go before those that may be absent,
     * in a new form.
     */
    private static final List<Standard> RARE = rare();

    /** Sorted containers, and the placeholder that has the number of one with a comparator. */
    private static final Map<Class<?>, Class<?>> ORDERED = Map.of(
            TreeSet.class, OrderedTreeSet.class,
            TreeMap.class, OrderedTreeMap.class,
            ConcurrentSkipListSet.class, OrderedSkipListSet.class,
            ConcurrentSkipListMap.class, OrderedSkipListMap.class,
            PriorityQueue.class, OrderedPriorityQueue.class,
            PriorityBlockingQueue.class, OrderedPriorityBlockingQueue.class);

    /** What arrives where the usual carriers do not fit the declared type, in the order of trying. */
    private static final List<Class<?>> SPECIAL = List.of(
            EnumSet.class,
            EnumMap.class,
            ConcurrentHashMap.class,
            ConcurrentSkipListMap.class,
            ConcurrentSkipListSet.class,
            LinkedList.class,
            LinkedBlockingQueue.class,
            LinkedBlockingDeque.class);

    private static final Set<Class<?>> CLASSES = Stream.concat(TYPES.stream(), RARE.stream())
            .<Class<?>>map(Standard::type)
            .filter(type -> !ORDERED.containsValue(type))
            .collect(Collectors.toUnmodifiableSet());

    private static final Set<Class<?>> LEAVES =
            Set.copyOf(all().stream().filter(type -> !holdsOthers(type)).toList());

    private StandardTypes() {}

    private static List<Standard> rare() {
        List<Standard> types = new ArrayList<>(CONTAINERS);
        if (SqlTypes.arePresent()) {
            types.add(of(SqlTypes.timestamp(), SqlTypes.ofTimestamps()));
            types.add(of(SqlTypes.date(), SqlTypes.ofDates()));
            types.add(of(SqlTypes.time(), SqlTypes.ofTimes()));
        }
        return List.copyOf(types);
    }

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
        register(kryo, TYPES, FIRST_ID);
        register(kryo, RARE, FIRST_RARE_ID);
    }

    private static void register(Kryo kryo, List<Standard> types, int firstId) {
        IntStream.range(0, types.size()).forEach(index -> {
            Standard standard = types.get(index);
            kryo.register(
                    new Registration(standard.type(), standard.serializer().apply(kryo), firstId + index));
        });
    }

    /** Whether a number is of the service's own classes, or of those that a customizer registered. */
    static boolean isOfService(int id) {
        return id >= TypeNumbers.FIRST_SERVICE_ID && (id < FIRST_RARE_ID || id >= FIRST_RARE_ID + RARE.size());
    }

    /** Whether values of a standard type sort what is in them. */
    static boolean isSorted(Class<?> type) {
        return ORDERED.containsKey(type);
    }

    /** Returns the placeholder that has the number of a sorted container with a comparator. */
    static Class<?> orderedOf(Class<?> sorted) {
        return Objects.requireNonNull(ORDERED.get(sorted));
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
        if (SortedMap.class.isAssignableFrom(type)) {
            return TreeMap.class;
        }
        if (SortedSet.class.isAssignableFrom(type)) {
            return TreeSet.class;
        }
        return unsortedCarrierOf(type);
    }

    /** The same for a container whose order cannot travel. */
    static @Nullable Class<?> unsortedCarrierOf(Class<?> type) {
        if (Map.class.isAssignableFrom(type)) {
            return LinkedHashMap.class;
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
            return LinkedHashSet.class;
        }
        if (PriorityQueue.class.isAssignableFrom(type) || PriorityBlockingQueue.class.isAssignableFrom(type)) {
            return PriorityQueue.class;
        }
        boolean queue = Queue.class.isAssignableFrom(type) && !List.class.isAssignableFrom(type);
        return queue ? ArrayDeque.class : ArrayList.class;
    }

    /** Finds the standard type for a place that takes no usual carrier, null when there is none. */
    static @Nullable Class<?> carrierFor(Class<?> declared, Class<?> type) {
        for (Class<?> special : SPECIAL) {
            boolean alike = !(special == EnumSet.class || special == EnumMap.class) || special.isAssignableFrom(type);
            if (alike && declared.isAssignableFrom(special)) {
                return special;
            }
        }
        return null;
    }
}
