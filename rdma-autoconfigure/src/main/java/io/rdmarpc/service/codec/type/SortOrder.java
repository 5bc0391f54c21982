package io.rdmarpc.service.codec.type;

import com.esotericsoftware.kryo.KryoException;
import java.util.Collections;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.PriorityBlockingQueue;
import org.jspecify.annotations.Nullable;

/** The orders of sorted containers that both sides know. Numbers and names are part of the wire format. */
@SuppressWarnings("ImmutableEnumChecker") // These comparators of the JDK are immutable.
public enum SortOrder {
    NATURAL(0, "natural", null),
    REVERSE(1, "reverse", Comparator.<String>reverseOrder()),
    IGNORING_CASE(2, "ignoring-case", String.CASE_INSENSITIVE_ORDER),
    REVERSE_IGNORING_CASE(3, "reverse-ignoring-case", Collections.reverseOrder(String.CASE_INSENSITIVE_ORDER)),
    /** The order of a comparator that is not serializable. */
    OWN(4, "own", null);

    private static final SortOrder[] ORDERS = values();

    private final int number;
    private final String text;
    private final @Nullable Comparator<?> comparator;

    SortOrder(int number, String text, @Nullable Comparator<?> comparator) {
        this.number = number;
        this.text = text;
        this.comparator = comparator;
    }

    /** Returns whether a container is sorted, so that it may have a comparator. */
    public static boolean isSorted(Object container) {
        return container instanceof SortedMap<?, ?>
                || container instanceof SortedSet<?>
                || container instanceof PriorityQueue<?>
                || container instanceof PriorityBlockingQueue<?>;
    }

    /** Returns the order of a container. It is the natural order for a container that is not sorted. */
    public static SortOrder of(Object container) {
        return ofComparator(
                switch (container) {
                    case SortedMap<?, ?> map -> map.comparator();
                    case SortedSet<?> set -> set.comparator();
                    case PriorityQueue<?> queue -> queue.comparator();
                    case PriorityBlockingQueue<?> queue -> queue.comparator();
                    default -> null;
                });
    }

    private static SortOrder ofComparator(@Nullable Comparator<?> comparator) {
        if (comparator == null || comparator.equals(Comparator.<String>naturalOrder())) {
            return NATURAL;
        }
        for (SortOrder order : ORDERS) {
            if (comparator.equals(order.comparator)) {
                return order;
            }
        }
        return OWN;
    }

    public static SortOrder ofNumber(int number) {
        if (number < 0 || number >= OWN.number) {
            throw new KryoException("the message has a sorted container with the unknown order " + number
                    + ": valid are 0 to " + (OWN.number - 1));
        }
        return ORDERS[number];
    }

    public static SortOrder ofText(@Nullable String text) {
        for (SortOrder order : ORDERS) {
            if (order.text.equals(text)) {
                return order;
            }
        }
        throw new IllegalArgumentException("the message has a sorted container with an unknown order");
    }

    public int number() {
        return number;
    }

    public String text() {
        return text;
    }

    /** Returns null for the natural order. */
    @SuppressWarnings("unchecked") // The comparator checks the class of added elements.
    @Nullable
    public Comparator<Object> comparator() {
        return (Comparator<Object>) comparator;
    }

    /** Returns the message of a rejected container whose comparator is not serializable. */
    public static String rejection(Class<?> type) {
        return type.getName() + " has a custom comparator, which is not serializable: natural order, reverse order and"
                + " String.CASE_INSENSITIVE_ORDER are. Declare Map, Set or Collection, then it arrives as a linked one"
                + " in its order, or send a copy in natural order";
    }
}
