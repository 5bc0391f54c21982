package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.shm.budget.PeerBudget;
import io.rdmarpc.verbs.soft.shm.layout.KeyTable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a peer, mapped when the peer passes it, until the peer has freed it or is gone: {@link MappedPages}.
 */
final class PeerPages implements AutoCloseable {

    private final Map<Integer, MappedPages> mappings = new HashMap<>();
    private @Nullable KeyTable keys;
    private int lastNumber = -1;
    private @Nullable MappedPages last;

    /**
     * Maps pages, and closes their share of the budget when they are unmapped; false if the number is known or the size
     * is wrong.
     */
    boolean add(int number, MemFd memory, PeerBudget.Share room) {
        if (mappings.containsKey(number) || !isRightSize(number, memory)) {
            room.close();
            return false;
        }
        try {
            MappedPages mapping = MappedPages.map(memory, room);
            mappings.put(number, mapping);
            if (number == Handover.KEYS) {
                keys = new KeyTable(mapping.memory());
            }
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean isRightSize(int number, MemFd memory) {
        return number != Handover.KEYS || memory.bytes() == KeyTable.BYTES;
    }

    /** Unmaps pages; false if there are none. The key table stays. */
    boolean remove(int number) {
        MappedPages mapping = number == Handover.KEYS ? null : mappings.remove(number);
        if (mapping == null) {
            return false;
        }
        lastNumber = -1;
        last = null;
        mapping.unmap();
        return true;
    }

    /** Returns pages, or null if they are not mapped. */
    @Nullable
    MappedPages pages(int number) {
        if (number == lastNumber) {
            return last;
        }
        MappedPages mapping = number == Handover.KEYS ? null : mappings.get(number);
        if (mapping == null) {
            return null;
        }
        lastNumber = number;
        last = mapping;
        return last;
    }

    /** Returns whether a granted key is valid. */
    boolean isValid(int key, long grant) {
        return keys != null && keys.isValid(key, grant);
    }

    @Override
    public void close() {
        mappings.values().forEach(MappedPages::unmap);
        mappings.clear();
        keys = null;
        lastNumber = -1;
        last = null;
    }
}
