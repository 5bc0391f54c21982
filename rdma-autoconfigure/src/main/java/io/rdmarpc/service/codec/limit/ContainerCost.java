package io.rdmarpc.service.codec.limit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.Stack;
import java.util.Vector;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.PriorityBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Cost of a container and of its entries, for the process that reads them.
 *
 * @param header bytes on the heap of an empty container, including the reference to it
 * @param each bytes on the heap of an entry, without the objects that it refers to
 * @param search how the container searches for the position of an entry
 */
public record ContainerCost(int header, int each, Search search) {

    private static final ContainerCost ARRAY_LIST = new ContainerCost(4 + 24, 0, Search.NONE);
    private static final ContainerCost ARRAY_DEQUE = new ContainerCost(4 + 48, 0, Search.NONE);
    private static final ContainerCost SET = new ContainerCost(4 + 72, 48, Search.HASH);
    private static final ContainerCost MAP = new ContainerCost(4 + 56, 48, Search.HASH);
    private static final ContainerCost SORTED_SET = new ContainerCost(4 + 64, 40, Search.NONE);
    private static final ContainerCost SORTED_MAP = new ContainerCost(4 + 48, 40, Search.NONE);
    private static final ContainerCost OTHER = new ContainerCost(4 + 48, 24, Search.NONE);

    /** Containers that begin with an array or with locks, which are larger than the container object. */
    private static final Map<Class<?>, ContainerCost> LARGE = Map.of(
            LinkedBlockingQueue.class, new ContainerCost(4 + 232, 24, Search.NONE),
            LinkedBlockingDeque.class, new ContainerCost(4 + 136, 24, Search.NONE),
            PriorityBlockingQueue.class, new ContainerCost(4 + 176, 0, Search.NONE),
            PriorityQueue.class, new ContainerCost(4 + 96, 0, Search.NONE),
            Vector.class, new ContainerCost(4 + 88, 0, Search.NONE),
            Stack.class, new ContainerCost(4 + 88, 0, Search.NONE),
            Hashtable.class, new ContainerCost(4 + 112, 48, Search.HASH));

    /** Containers up to this size need so few comparisons that they are not counted. */
    private static final int FEW = 16;

    /** References copied in the time of one comparison, as a power of 2. */
    private static final int COPIED_SHIFT = 8;

    public enum Search {
        /** No search, or a search by order. */
        NONE,
        /** Comparison with the keys of equal hash code. */
        HASH,
        /** Comparison with all entries. */
        SCAN,
        /** No search, but each addition copies all entries. */
        COPY
    }

    public static ContainerCost of(Class<?> type) {
        if (type == ArrayList.class) {
            return ARRAY_LIST;
        }
        if (type == ArrayDeque.class) {
            return ARRAY_DEQUE;
        }
        ContainerCost large = LARGE.get(type);
        if (large != null) {
            return large;
        }
        if (CopyOnWriteArraySet.class.isAssignableFrom(type)) {
            return new ContainerCost(OTHER.header, OTHER.each, Search.SCAN);
        }
        if (CopyOnWriteArrayList.class.isAssignableFrom(type)) {
            return new ContainerCost(OTHER.header, OTHER.each, Search.COPY);
        }
        if (Map.class.isAssignableFrom(type)) {
            return SortedMap.class.isAssignableFrom(type) ? SORTED_MAP : MAP;
        }
        if (Set.class.isAssignableFrom(type)) {
            return SortedSet.class.isAssignableFrom(type) ? SORTED_SET : SET;
        }
        return OTHER;
    }

    /** Returns whether the container searches for the position of an entry. */
    public boolean searches() {
        return search != Search.NONE;
    }

    /**
     * Charges an entry before it is added.
     *
     * @param budget budget of the message
     * @param seen result of this method for the previous entry, null for the first one
     * @param key key of a map, or element of a collection
     * @param size number of entries that the message claims for the container
     * @param bytes length of the key in the message
     * @param consumed bytes of the message that have been read
     * @return the value to pass for the next entry
     */
    @Nullable
    public HashCollisions admit(
            MessageBudget budget,
            @Nullable HashCollisions seen,
            @Nullable Object key,
            int size,
            int bytes,
            int consumed) {
        budget.charge(each);
        if (search == Search.HASH) {
            budget.addHashed(bytes, consumed);
        }
        if (size <= FEW || key == null || (search == Search.HASH && isUnlikeOthers(key))) {
            return seen;
        }
        HashCollisions counted = seen == null ? new HashCollisions() : seen;
        int compared = switch (search) {
            case HASH -> counted.add(key.hashCode());
            case SCAN -> counted.add();
            case COPY -> counted.add() >> COPIED_SHIFT;
            case NONE -> 0;
        };
        budget.addKey(compared, search == Search.COPY ? 0 : bytes);
        return counted;
    }

    /**
     * Returns whether at most a few other keys can have its hash code. Strings such as "Aa" and "BB" do not qualify.
     */
    private static boolean isUnlikeOthers(Object key) {
        return key instanceof Integer
                || key instanceof Enum<?>
                || key instanceof Short
                || key instanceof Character
                || key instanceof Byte
                || key instanceof Boolean;
    }
}
