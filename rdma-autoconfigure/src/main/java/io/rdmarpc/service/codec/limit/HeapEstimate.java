package io.rdmarpc.service.codec.limit;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.Map;

/**
 * Estimates the size of values on the heap of HotSpot with compressed references. A header has 12 bytes and a
 * reference 4, and sizes are rounded up to 8. Each estimate includes the reference to the value.
 */
public final class HeapEstimate {

    /** A reference and the header of an array. */
    public static final int ARRAY = 4 + 16;

    /** A string and its array, without the chars. */
    public static final int TEXT = 4 + 24 + 16 + 4;

    private static final int REFERENCE = 4;
    private static final int HEADER = 12;

    /** A set of enum constants without its array of bits, or with all bits in one word. */
    private static final int ENUM_SET = 32;

    private static final int ENUM_MAP = 40;

    /** Types whose date and time are separate objects. */
    private static final Map<Class<?>, Integer> WITH_PARTS = Map.of(
            LocalDateTime.class, REFERENCE + 72,
            OffsetTime.class, REFERENCE + 48,
            OffsetDateTime.class, REFERENCE + 96,
            ZonedDateTime.class, REFERENCE + 96);

    private static final ClassValue<Integer> VALUES = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            return estimate(type);
        }
    };

    private static final ClassValue<Integer> CONSTANTS = new ClassValue<>() {
        @Override
        protected Integer computeValue(Class<?> type) {
            Object[] constants = type.getEnumConstants();
            return constants == null ? 0 : constants.length;
        }
    };

    private HeapEstimate() {}

    /**
     * Returns the size of a value of exactly the given class.
     *
     * @param type the class
     * @return bytes without the objects that the value refers to. 0 for strings, arrays and containers, which the input
     *     charges when it reads them. Also 0 for primitives, enum constants, {@code Boolean} and {@code Byte}, which
     *     need no new object
     */
    public static int of(Class<?> type) {
        return VALUES.get(type);
    }

    /**
     * Returns the size of a set of enum constants. It has one bit for each constant of the enum, regardless of its
     * elements.
     *
     * @param type the enum
     * @return bytes
     */
    public static int ofEnumSet(Class<?> type) {
        int constants = CONSTANTS.get(type);
        int bits = constants <= Long.SIZE ? 0 : ARRAY + Long.BYTES * ((constants + Long.SIZE - 1) / Long.SIZE);
        return REFERENCE + ENUM_SET + bits;
    }

    /**
     * Returns the size of a map with enum constants as keys. It has one reference for each constant of the enum,
     * regardless of its entries.
     *
     * @param type the enum
     * @return bytes
     */
    public static int ofEnumMap(Class<?> type) {
        return REFERENCE + ENUM_MAP + ARRAY + REFERENCE * CONSTANTS.get(type);
    }

    private static int estimate(Class<?> type) {
        boolean chargedByInput = type == String.class
                || type.isArray()
                || Collection.class.isAssignableFrom(type)
                || Map.class.isAssignableFrom(type);
        boolean existsOnce = type.isPrimitive() || type.isEnum() || type == Boolean.class || type == Byte.class;
        if (chargedByInput || existsOnce) {
            return 0;
        }
        Integer known = WITH_PARTS.get(type);
        return known != null ? known : REFERENCE + shallow(type);
    }

    private static int shallow(Class<?> type) {
        int bytes = HEADER;
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    bytes += bytesOf(field.getType());
                }
            }
        }
        return (bytes + 7) & ~7;
    }

    private static int bytesOf(Class<?> type) {
        if (type == long.class || type == double.class) {
            return Long.BYTES;
        }
        if (type == short.class || type == char.class) {
            return Short.BYTES;
        }
        return type == byte.class || type == boolean.class ? Byte.BYTES : REFERENCE;
    }
}
