package io.rdmarpc.service.codec.type;

import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The types that all services support, with their numbers in messages: types of the JDK, regions and tokens. The
 * order of {@link #TYPES} is part of the wire format: add types only at the end.
 *
 * <p>Each kind of collection and map has one carrier class. Any other implementation, such as {@code List.of},
 * {@code Collections.unmodifiableList} or {@code HashMap}, is sent and arrives as the carrier: equal, in the same
 * order, and modifiable. A declared concrete class, such as {@code HashMap} as a parameter type, arrives as that
 * class.
 */
public final class StandardTypes {

    /** First number after primitives and String, which Kryo numbers itself. */
    public static final int FIRST_ID = 10;

    /** First number after those of the service's classes, and before those computed from names. */
    public static final int FIRST_RARE_ID = (1 << 14) - 256;

    private static final List<Class<?>> TYPES = List.of(
            byte[].class,
            short[].class,
            int[].class,
            long[].class,
            float[].class,
            double[].class,
            boolean[].class,
            char[].class,
            Object[].class,
            String[].class,
            ArrayList.class,
            LinkedHashSet.class,
            TreeSet.class,
            ArrayDeque.class,
            LinkedHashMap.class,
            TreeMap.class,
            Optional.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            URI.class,
            Locale.class,
            Currency.class,
            BitSet.class,
            Date.class,
            Duration.class,
            Instant.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            ZoneOffset.class,
            ZoneId.class,
            OffsetTime.class,
            OffsetDateTime.class,
            ZonedDateTime.class,
            Year.class,
            YearMonth.class,
            MonthDay.class,
            Period.class,
            ByteBuffer.class,
            MemorySegment.class,
            RegionToken.class,
            RemoteRegion.class,
            EnumSet.class,
            EnumMap.class);

    @SuppressWarnings("JdkObsolete") // Applications send LinkedList.
    private static final List<Class<?>> CONTAINERS = List.of(
            LinkedList.class,
            PriorityQueue.class,
            PriorityBlockingQueue.class,
            LinkedBlockingQueue.class,
            LinkedBlockingDeque.class,
            LinkedTransferQueue.class,
            ConcurrentHashMap.class,
            ConcurrentSkipListMap.class,
            ConcurrentSkipListSet.class,
            OrderedTreeSet.class,
            OrderedTreeMap.class,
            OrderedSkipListSet.class,
            OrderedSkipListMap.class,
            OrderedPriorityQueue.class,
            OrderedPriorityBlockingQueue.class);

    /**
     * Types that are rare in messages, with numbers of two bytes from {@link #FIRST_RARE_ID}. New types are inserted
     * before those that may be absent, together with a new form number.
     */
    private static final List<Class<?>> RARE = allRare();

    /** Sorted containers, with the placeholder class whose number means a comparator. */
    private static final Map<Class<?>, Class<?>> ORDERED = Map.of(
            TreeSet.class, OrderedTreeSet.class,
            TreeMap.class, OrderedTreeMap.class,
            ConcurrentSkipListSet.class, OrderedSkipListSet.class,
            ConcurrentSkipListMap.class, OrderedSkipListMap.class,
            PriorityQueue.class, OrderedPriorityQueue.class,
            PriorityBlockingQueue.class, OrderedPriorityBlockingQueue.class);

    /** Carriers for declared types that the usual carriers do not fit, in order of preference. */
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
            .filter(type -> !ORDERED.containsValue(type))
            .collect(Collectors.toUnmodifiableSet());

    private static final Set<Class<?>> LEAVES =
            Set.copyOf(all().stream().filter(type -> !holdsOthers(type)).toList());

    private StandardTypes() {}

    // Placeholder classes: each gives a second number to a container class, for containers with a comparator.

    private static final class OrderedTreeSet {}

    private static final class OrderedTreeMap {}

    private static final class OrderedSkipListSet {}

    private static final class OrderedSkipListMap {}

    private static final class OrderedPriorityQueue {}

    private static final class OrderedPriorityBlockingQueue {}

    private static List<Class<?>> allRare() {
        List<Class<?>> types = new ArrayList<>(CONTAINERS);
        if (SqlTypes.arePresent()) {
            types.add(SqlTypes.timestamp());
            types.add(SqlTypes.date());
            types.add(SqlTypes.time());
        }
        return List.copyOf(types);
    }

    private static boolean holdsOthers(Class<?> type) {
        return type == Optional.class
                || Object[].class.isAssignableFrom(type)
                || Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type);
    }

    /** Returns whether it is a standard type whose values contain no other values. */
    public static boolean isLeaf(Class<?> type) {
        return LEAVES.contains(type);
    }

    /** Returns the types whose numbers take one byte, in the order of their numbers from {@link #FIRST_ID}. */
    public static List<Class<?>> frequent() {
        return TYPES;
    }

    /** Returns the types with numbers of two bytes, in the order of their numbers from {@link #FIRST_RARE_ID}. */
    public static List<Class<?>> rare() {
        return RARE;
    }

    /** Returns whether a number belongs to the service's classes, or to those that a customizer registered. */
    public static boolean isOfService(int id) {
        return id >= TypeNumbers.FIRST_SERVICE_ID && (id < FIRST_RARE_ID || id >= FIRST_RARE_ID + RARE.size());
    }

    /** Returns whether values of a standard type are sorted containers. */
    public static boolean isSorted(Class<?> type) {
        return ORDERED.containsKey(type);
    }

    /** Returns the placeholder of a sorted container with a comparator. */
    public static Class<?> orderedOf(Class<?> sorted) {
        return Objects.requireNonNull(ORDERED.get(sorted));
    }

    /** Returns the standard types and the boxes of primitive types. */
    public static List<Class<?>> all() {
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

    public static boolean contains(Class<?> type) {
        return CLASSES.contains(type);
    }

    /** Returns whether a value of a standard type, a string or a number is an instance of a type. */
    static boolean anyIsA(Class<?> type) {
        return type.isAssignableFrom(String.class)
                || type.isAssignableFrom(Integer.class)
                || CLASSES.stream().anyMatch(type::isAssignableFrom);
    }

    /** Returns the standard type that represents a value of another class, or null if there is none. */
    public static @Nullable Class<?> carrierOf(Class<?> type) {
        if (SortedMap.class.isAssignableFrom(type)) {
            return TreeMap.class;
        }
        if (SortedSet.class.isAssignableFrom(type)) {
            return TreeSet.class;
        }
        return unsortedCarrierOf(type);
    }

    /** Returns the carrier of a container whose order is not serializable. */
    public static @Nullable Class<?> unsortedCarrierOf(Class<?> type) {
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

    /** Returns the carrier for a declared type that does not accept the usual one, or null if there is none. */
    public static @Nullable Class<?> carrierFor(Class<?> declared, Class<?> type) {
        for (Class<?> special : SPECIAL) {
            boolean fits = !(special == EnumSet.class || special == EnumMap.class) || special.isAssignableFrom(type);
            if (fits && declared.isAssignableFrom(special)) {
                return special;
            }
        }
        return null;
    }
}
