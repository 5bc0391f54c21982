package io.rdmarpc.service.codec.type;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The numbers that classes have in messages, where the user gave none: the same in every process with the same classes,
 * whatever the order in which they were found.
 *
 * <p>One after the other in the order of their names, from {@link #FIRST_SERVICE_ID}; or, where the classes of
 * two processes may differ, each a number made from its own name.
 */
public final class TypeNumbers {

    /** Leaves room for standard types to come; up to 125 a class takes one byte in a message. */
    public static final int FIRST_SERVICE_ID = 64;

    /** Numbers made from names start here and end below 2^28, so that each takes four bytes in a message. */
    private static final int FIRST_BY_NAME = 1 << 14;

    private static final int BY_NAME_MASK = (1 << 27) - 1;

    private final Map<Class<?>, Integer> numbers = new HashMap<>();
    private final boolean open;

    private TypeNumbers(boolean open) {
        this.open = open;
    }

    /** Numbers as they come, for a Kryo that only finds out what customizers register. */
    public static TypeNumbers asTheyCome() {
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
                                + ", which is made from their names",
                        "Rename one of them, or give it a number of its own in a KryoCustomizer bean, on both sides");
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
                    "a KryoCustomizer registers " + type.getName() + ", which it did not register the first time",
                    "Register the same classes each time customize is called");
        }
        return number;
    }

    /** The classes that have a number. */
    public Set<Class<?>> types() {
        return Set.copyOf(numbers.keySet());
    }
}
