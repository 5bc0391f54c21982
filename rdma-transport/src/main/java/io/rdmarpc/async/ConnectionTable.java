package io.rdmarpc.async;

import io.rdmarpc.verbs.error.RdmaException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Finds the connection of a completion. A key holds an index and a use count of that index, so that a late completion
 * of a closed connection finds no connection.
 *
 * <pre>
 *   wr_id, 64 bits:  uses (16) | index (16) | receive (1) | slot (31)
 * </pre>
 */
final class ConnectionTable {

    private static final int MAX_CONNECTIONS = 1 << 16;
    private static final int INDEX_MASK = MAX_CONNECTIONS - 1;
    private static final int INDEX_BITS = 16;

    private final ArrayDeque<Integer> freeIndexes = new ArrayDeque<>();
    private final short[] uses = new short[MAX_CONNECTIONS];
    private int nextIndex;
    private volatile AtomicReferenceArray<@Nullable ConnectionCore> links = new AtomicReferenceArray<>(16);

    /** Reserves a key for a new connection. */
    synchronized int reserve() {
        Integer used = freeIndexes.pollFirst();
        if (used == null && nextIndex == MAX_CONNECTIONS) {
            throw new RdmaException("A node has at most " + MAX_CONNECTIONS + " connections. Open a second node");
        }
        int index = used == null ? nextIndex++ : used;
        return Short.toUnsignedInt(uses[index]) << INDEX_BITS | index;
    }

    synchronized void put(int key, ConnectionCore link) {
        int index = key & INDEX_MASK;
        if (index >= links.length()) {
            links = grown(links, index + 1);
        }
        links.set(index, link);
    }

    private static AtomicReferenceArray<@Nullable ConnectionCore> grown(
            AtomicReferenceArray<@Nullable ConnectionCore> old, int minLength) {
        AtomicReferenceArray<@Nullable ConnectionCore> larger =
                new AtomicReferenceArray<>(Math.max(minLength, 2 * old.length()));
        for (int i = 0; i < old.length(); i++) {
            larger.set(i, old.get(i));
        }
        return larger;
    }

    /** Finds a connection by the upper half of a wr_id; returns null if it is closed. */
    @Nullable
    ConnectionCore find(int key) {
        AtomicReferenceArray<@Nullable ConnectionCore> all = links;
        int index = key & INDEX_MASK;
        ConnectionCore found = index < all.length() ? all.get(index) : null;
        return found != null && found.key() == key ? found : null;
    }

    synchronized void release(int key) {
        int index = key & INDEX_MASK;
        if (index < links.length()) {
            links.set(index, null);
        }
        uses[index]++;
        freeIndexes.addLast(index);
    }
}
