package io.rdmarpc.verbs.soft;

import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * All queue pairs by number. The low bits are a slot, the high ones say how often it was used, from a random start, so that
 * late packets for a closed queue pair do not meet its successor. Numbers 0, 1 and 0xFFFFFF have a meaning of their own
 * (management and multicast) and are never given.
 */
final class QueuePairTable {

    static final int MAX_QUEUE_PAIRS = 1 << 14;

    private static final int SLOT_BITS = 14;
    private static final int SLOT_MASK = MAX_QUEUE_PAIRS - 1;
    private static final int FIRST_GENERATION = 1;
    private static final int LAST_GENERATION = 1022;

    private @Nullable SoftQueuePair[] slots = new SoftQueuePair[8];
    private int used;
    private final Deque<Integer> free = new ArrayDeque<>();
    private int generation = new SecureRandom().nextInt(FIRST_GENERATION, LAST_GENERATION);

    boolean isFull() {
        return free.isEmpty() && used == MAX_QUEUE_PAIRS;
    }

    /** Returns the number of the next queue pair to {@link #add}. */
    int nextNumber() {
        int slot = free.isEmpty() ? used : free.element();
        return generation << SLOT_BITS | slot;
    }

    void add(SoftQueuePair qp) {
        if (free.isEmpty()) {
            if (used == slots.length) {
                slots = Arrays.copyOf(slots, 2 * used);
            }
            slots[used++] = qp;
        } else {
            slots[free.remove()] = qp;
        }
        generation = generation == LAST_GENERATION ? FIRST_GENERATION : generation + 1;
    }

    void remove(SoftQueuePair qp) {
        int slot = qp.number() & SLOT_MASK;
        slots[slot] = null;
        free.add(slot);
    }

    /** The connected queue pair whose peer has a number. Looks at all of them. */
    @Nullable
    SoftQueuePair connectedTo(int peer) {
        for (SoftQueuePair qp : slots) {
            if (qp instanceof ConnectedQueuePair connected && connected.destinationQpn() == peer) {
                return qp;
            }
        }
        return null;
    }

    @Nullable
    SoftQueuePair find(int number) {
        int slot = number & SLOT_MASK;
        SoftQueuePair qp = slot < slots.length ? slots[slot] : null;
        return qp != null && qp.number() == number ? qp : null;
    }
}
