package io.rdmarpc.verbs.soft.domain;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * All address handles by the value in work requests. Its lower half is the slot + 1, its upper half the number of
 * handles that were created before.
 */
public final class AddressHandleTable {

    private @Nullable SoftAddressHandle[] slots = new SoftAddressHandle[8];
    private int used;
    private final Deque<Integer> free = new ArrayDeque<>();
    private long created;

    /** Returns the value of the next handle to {@link #add}. */
    public long nextHandle() {
        int slot = free.isEmpty() ? used : free.element();
        return created << Integer.SIZE | slot + 1;
    }

    public void add(SoftAddressHandle handle) {
        if (free.isEmpty()) {
            if (used == slots.length) {
                slots = Arrays.copyOf(slots, 2 * used);
            }
            slots[used++] = handle;
        } else {
            slots[free.remove()] = handle;
        }
        created++;
    }

    boolean remove(SoftAddressHandle handle) {
        if (find(handle.handle()) != handle) {
            return false;
        }
        int slot = slotOf(handle.handle());
        slots[slot] = null;
        free.add(slot);
        return true;
    }

    @Nullable
    public SoftAddressHandle find(long handle) {
        int slot = slotOf(handle);
        SoftAddressHandle found = slot >= 0 && slot < slots.length ? slots[slot] : null;
        return found != null && found.handle() == handle ? found : null;
    }

    private static int slotOf(long handle) {
        return (int) handle - 1;
    }
}
