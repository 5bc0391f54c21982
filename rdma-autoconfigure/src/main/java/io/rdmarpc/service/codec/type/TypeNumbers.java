package io.rdmarpc.service.codec.type;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The numbers of classes in messages, unless the application assigned them. They are equal in every process with the
 * same classes, whatever the order in which they were found.
 *
 * <p>Numbers are consecutive in the order of the class names, from {@link #FIRST_SERVICE_ID}. If the classes of two
 * processes may differ, each number is computed from the class name.
 */
public final class TypeNumbers {

    /** Reserves numbers for future standard types. Numbers up to 125 take one byte in a message. */
    public static final int FIRST_SERVICE_ID = 64;

    /** Numbers computed from names start here and end below 2^28, so that each takes four bytes in a message. */
    private static final int FIRST_BY_NAME = 1 << 14;

    private static final int BY_NAME_MASK = (1 << 27) - 1;

    private final Map<Class<?>, Integer> numbers = new HashMap<>();
    private final boolean open;

    private TypeNumbers(boolean open) {
        this.open = open;
    }

    /** Assigns numbers on request, for a Kryo that only discovers the registrations of customizers. */
    public static TypeNumbers onDemand() {
        return new TypeNumbers(true);
    }

    public static TypeNumbers inOrderOfNames(Collection<Class<?>> types, Set<Integer> taken) {
        TypeNumbers result = new TypeNumbers(false);
        int next = FIRST_SERVICE_ID;
        for (Class<?> type : byName(types).values()) {
            while (taken.contains(next)) {
                next++;
            }
            result.numbers.put(type, next++);
        }
        return result;
    }

    public static TypeNumbers fromNames(Collection<Class<?>> types) {
        TypeNumbers result = new TypeNumbers(false);
        Map<Integer, Class<?>> owners = new HashMap<>();
        for (Class<?> type : byName(types).values()) {
            int number = FIRST_BY_NAME + (NameHash.of(type.getName()) & BY_NAME_MASK);
            Class<?> other = owners.put(number, type);
            if (other != null) {
                throw new RdmaInvalidServiceException(
                        type.getName() + " and " + other.getName() + " have the same number " + number
                                + ", which is a hash of their names",
                        "Rename one of them, or assign a number to it in a KryoCustomizer bean, on both sides");
            }
            result.numbers.put(type, number);
        }
        return result;
    }

    private static Map<String, Class<?>> byName(Collection<Class<?>> types) {
        Map<String, Class<?>> sorted = new TreeMap<>();
        types.forEach(type -> sorted.put(type.getName(), type));
        return sorted;
    }

    public int of(Class<?> type) {
        Integer number = numbers.get(type);
        if (number == null && open) {
            number = FIRST_BY_NAME + numbers.size();
            numbers.put(type, number);
        }
        if (number == null) {
            throw new RdmaInvalidServiceException(
                    "a KryoCustomizer registers " + type.getName() + ", which it did not register in its first call",
                    "Register the same classes in each call of customize");
        }
        return number;
    }

    /** Returns the classes that have a number. */
    public Set<Class<?>> types() {
        return Set.copyOf(numbers.keySet());
    }
}
