package io.rdmarpc.service.client.routing;

import java.util.List;

/** Immutable set of the instances that may be called. It is computed at each change, and calls only read it. */
final class AvailableMembers {

    /** Number of hash slots. Each key maps to one slot, and each slot to one instance. */
    static final int HASH_SLOTS = 1024;

    static final AvailableMembers NONE = new AvailableMembers(List.of(), false);

    private final Member[] all;
    /** Index of the instance of each hash slot. Empty unless the policy is sticky. */
    private final short[] slotOwners;

    AvailableMembers(List<Member> members, boolean sticky) {
        this.all = members.toArray(Member[]::new);
        this.slotOwners = sticky && all.length > 0 ? assignSlots() : new short[0];
    }

    /**
     * Assigns each hash slot to the instance with the highest random number for it (rendezvous hashing). When an
     * instance leaves, only its slots move. All processes compute the same assignment.
     */
    private short[] assignSlots() {
        short[] owners = new short[HASH_SLOTS];
        for (int slot = 0; slot < HASH_SLOTS; slot++) {
            int best = 0;
            for (int i = 1; i < all.length; i++) {
                if (weight(i, slot) > weight(best, slot)) {
                    best = i;
                }
            }
            owners[slot] = (short) best;
        }
        return owners;
    }

    private long weight(int member, int slot) {
        return mix(((long) all[member].instance().id().hashCode() << 32) | slot);
    }

    /** The finalizer of SplitMix64. */
    private static long mix(long bits) {
        long mixed = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }

    int count() {
        return all.length;
    }

    Member get(int index) {
        return all[index];
    }

    /** Returns the index of the instance that a key maps to. */
    int ownerOf(Object key) {
        return slotOwners[(int) mix(key.hashCode()) & (HASH_SLOTS - 1)];
    }
}
