package io.rdmarpc.service.client.routing;

import java.util.List;

/** The instances that may be called, as they are for a while: decided at each change, only read by calls. */
final class AvailableMembers {

    /** So many places does a key have; each belongs to an instance. */
    static final int PLACES = 1024;

    static final AvailableMembers NONE = new AvailableMembers(List.of(), false);

    private final Member[] all;
    /** Which instance each place of a key belongs to; empty unless the policy is sticky. */
    private final short[] places;

    AvailableMembers(List<Member> members, boolean sticky) {
        this.all = members.toArray(Member[]::new);
        this.places = sticky && all.length > 0 ? places() : new short[0];
    }

    /**
     * Each place goes to the instance that draws the highest number for it (rendezvous hashing). When an instance leaves
     * only its own places move, and all processes decide the same.
     */
    private short[] places() {
        short[] owners = new short[PLACES];
        for (int place = 0; place < PLACES; place++) {
            int best = 0;
            for (int i = 1; i < all.length; i++) {
                if (draw(i, place) > draw(best, place)) {
                    best = i;
                }
            }
            owners[place] = (short) best;
        }
        return owners;
    }

    private long draw(int member, int place) {
        return mix(((long) all[member].instance().id().hashCode() << 32) | place);
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

    /** The index of the instance that a key belongs to. */
    int ownerOf(Object key) {
        return places[(int) mix(key.hashCode()) & (PLACES - 1)];
    }
}
