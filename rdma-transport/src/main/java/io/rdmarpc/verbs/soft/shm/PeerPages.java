package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.shm.budget.PeerBudget;
import io.rdmarpc.verbs.soft.shm.layout.KeyTable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A peer's memory, mapped when it was handed over, until the peer says that it has freed it or goes: {@link MappedPages}. */
final class PeerPages implements AutoCloseable {

    private final Map<Integer, MappedPages> mappings = new HashMap<>();
    private @Nullable KeyTable keys;
    private int lastNumber = -1;
    private @Nullable MappedPages last;

    /** Maps pages, in the room that is given back when they are mapped no more; false when they are known or make no sense. */
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

    /** Ends the mapping of pages; false when there is none. The keys stay. */
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

    /** Returns pages, or null when they are not mapped. */
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

    /** Tells whether a key that was granted is valid. */
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
