package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.soft.rnic.RandomNumbers;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import java.security.SecureRandom;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All queue pairs by number. The low bits of a number are a random free slot, so that a number does not reveal the next
 * one. The high bits count the uses of the slot from a random start. This keeps late packets for a closed queue pair
 * from its successor. Numbers 0, 1 and 0xFFFFFF are reserved (management and multicast) and never assigned.
 */
public final class QueuePairTable implements SoftCompletionQueue.Overruns {

    public static final int MAX_QUEUE_PAIRS = 1 << 14;

    private static final int SLOT_BITS = 14;
    private static final int SLOT_MASK = MAX_QUEUE_PAIRS - 1;
    private static final int FIRST_GENERATION = 1;
    private static final int LAST_GENERATION = 1022;

    private final RandomNumbers random;
    private final @Nullable SoftQueuePair[] slots = new SoftQueuePair[MAX_QUEUE_PAIRS];

    /** The generation of each slot's current or last queue pair, 0 if the slot was never used. */
    private final short[] generations = new short[MAX_QUEUE_PAIRS];

    private int open;

    public QueuePairTable() {
        this(new SecureRandom());
    }

    public QueuePairTable(RandomGenerator random) {
        this.random = new RandomNumbers(random);
    }

    public boolean isFull() {
        return open == MAX_QUEUE_PAIRS;
    }

    /** Draws the number of the next queue pair to {@link #add}. */
    public int nextNumber() {
        int drawn = random.next();
        int slot = drawn & SLOT_MASK;
        while (slots[slot] != null) {
            slot = slot + 1 & SLOT_MASK;
        }
        return generationAfter(generations[slot], drawn >>> SLOT_BITS) << SLOT_BITS | slot;
    }

    private static int generationAfter(int last, int drawn) {
        if (last == 0) {
            return FIRST_GENERATION + drawn % LAST_GENERATION;
        }
        return last == LAST_GENERATION ? FIRST_GENERATION : last + 1;
    }

    public void add(SoftQueuePair qp) {
        int slot = qp.number() & SLOT_MASK;
        slots[slot] = qp;
        generations[slot] = (short) (qp.number() >>> SLOT_BITS);
        open++;
    }

    public void remove(SoftQueuePair qp) {
        slots[qp.number() & SLOT_MASK] = null;
        open--;
    }

    /** Returns the connected queue pair whose peer has a number, or null. Searches the whole table. */
    @Nullable
    public SoftQueuePair connectedTo(int peer) {
        for (SoftQueuePair qp : slots) {
            if (qp instanceof ConnectedQueuePair connected && connected.destinationQpn() == peer) {
                return qp;
            }
        }
        return null;
    }

    @Nullable
    public SoftQueuePair find(int number) {
        SoftQueuePair qp = slots[number & SLOT_MASK];
        return qp != null && qp.number() == number ? qp : null;
    }

    @Override
    public void onLostCompletion(int queuePairNumber) {
        SoftQueuePair qp = find(queuePairNumber);
        if (qp != null) {
            qp.loseCompletion();
        }
    }
}
