package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * All memory regions by their keys. A key is the region's slot in the upper half and a random number in the lower one: a slot
 * that is used again has other keys, so old ones are really invalid. The slot that was free for longest is used first.
 */
final class MemoryTable {

    static final int MAX_REGIONS = 0xFFFF;

    private static final int SLOT_SHIFT = 16;
    private static final int SECRETS = 1 << SLOT_SHIFT;

    private @Nullable SoftMemoryRegion[] slots = new SoftMemoryRegion[64];
    private int used;
    private final List<Keys> keys = new ArrayList<>();
    private final Deque<Integer> free = new ArrayDeque<>();
    private final RandomGenerator random;
    private final @Nullable PeerMemory peerMemory;

    /** The keys of a slot's present or last region. */
    private record Keys(int lkey, int rkey) {
        private static final Keys NONE = new Keys(0, 0);
    }

    /**
     * Makes an empty table.
     *
     * @param peerMemory memory that peers on this host can read, or null
     */
    MemoryTable(@Nullable PeerMemory peerMemory) {
        this(peerMemory, new SecureRandom());
    }

    MemoryTable(@Nullable PeerMemory peerMemory, RandomGenerator random) {
        this.peerMemory = peerMemory;
        this.random = random;
    }

    boolean isFull() {
        return free.isEmpty() && used == MAX_REGIONS;
    }

    SoftMemoryRegion register(
            SoftProtectionDomain domain, MemorySegment segment, Set<AccessFlag> access, boolean lasts) {
        int slot = takeSlot();
        Keys fresh = newKeys(slot);
        PeerMemory.Place place = placeForPeers(segment, access);
        SoftMemoryRegion region =
                new SoftMemoryRegion(domain, segment, access, fresh.lkey(), fresh.rkey(), place, lasts);
        publish(fresh.rkey(), place);
        slots[slot] = region;
        return region;
    }

    /** Has a region be another one, with other keys; false when it is not registered any more. */
    boolean reregister(SoftMemoryRegion region, MemorySegment segment, Set<AccessFlag> access) {
        int slot = region.lkey() >>> SLOT_SHIFT;
        if (slots[slot] != region) {
            return false;
        }
        revoke(region);
        Keys fresh = newKeys(slot);
        PeerMemory.Place place = placeForPeers(segment, access);
        region.become(segment, access, fresh.lkey(), fresh.rkey(), place);
        publish(fresh.rkey(), place);
        return true;
    }

    /** Gives a region another remote key; false when it is not registered any more. */
    boolean renewRemoteKey(SoftMemoryRegion region) {
        int slot = region.lkey() >>> SLOT_SHIFT;
        if (slots[slot] != region) {
            return false;
        }
        revoke(region);
        int fresh = newKey(slot, region.rkey(), region.lkey());
        keys.set(slot, new Keys(region.lkey(), fresh));
        region.takeRemoteKey(fresh);
        publish(fresh, region.place());
        return true;
    }

    private void publish(int rkey, PeerMemory.@Nullable Place place) {
        if (peerMemory != null && place != null) {
            peerMemory.publish(rkey);
        }
    }

    private void revoke(SoftMemoryRegion region) {
        if (peerMemory != null && region.place() != null) {
            peerMemory.revoke(region.rkey());
        }
    }

    private Keys newKeys(int slot) {
        Keys last = keys.get(slot);
        int lkey = newKey(slot, last.lkey(), last.rkey());
        // Who is told the one does not know the other.
        int rkey = newKey(slot, last.rkey(), lkey);
        Keys fresh = new Keys(lkey, rkey);
        keys.set(slot, fresh);
        return fresh;
    }

    private PeerMemory.@Nullable Place placeForPeers(MemorySegment segment, Set<AccessFlag> access) {
        boolean forPeers = access.contains(AccessFlag.REMOTE_READ) || access.contains(AccessFlag.REMOTE_WRITE);
        return peerMemory != null && forPeers ? peerMemory.place(segment) : null;
    }

    private int takeSlot() {
        if (used < MAX_REGIONS && free.isEmpty()) {
            if (used == slots.length) {
                slots = Arrays.copyOf(slots, 2 * used);
            }
            keys.add(Keys.NONE);
            return used++;
        }
        return free.remove();
    }

    private int newKey(int slot, int last, int other) {
        int key;
        do {
            key = slot << SLOT_SHIFT | random.nextInt(1, SECRETS);
        } while (key == last || key == other);
        return key;
    }

    /** Makes both keys invalid; false when they were already. */
    boolean deregister(SoftMemoryRegion region) {
        int slot = region.lkey() >>> SLOT_SHIFT;
        if (slots[slot] != region) {
            return false;
        }
        revoke(region);
        region.end();
        slots[slot] = null;
        free.add(slot);
        return true;
    }

    /** Finds the region for an own access, or null when the key, the range or the right does not allow it. */
    @Nullable
    SoftMemoryRegion local(SoftProtectionDomain domain, int lkey, long address, long length, int right) {
        SoftMemoryRegion region = atSlotOf(lkey);
        return region != null && region.lkey() == lkey && isAllowed(region, domain, address, length, right)
                ? region
                : null;
    }

    /** Finds the region for a peer's access, or null when the key, the range or the right does not allow it. */
    @Nullable
    SoftMemoryRegion remote(SoftProtectionDomain domain, int rkey, long address, long length, int right) {
        SoftMemoryRegion region = atSlotOf(rkey);
        return region != null && region.rkey() == rkey && isAllowed(region, domain, address, length, right)
                ? region
                : null;
    }

    private @Nullable SoftMemoryRegion atSlotOf(int key) {
        int slot = key >>> SLOT_SHIFT;
        return slot < slots.length ? slots[slot] : null;
    }

    private static boolean isAllowed(
            SoftMemoryRegion region, SoftProtectionDomain domain, long address, long length, int right) {
        return region.domain() == domain && region.allows(address, length, right);
    }
}
