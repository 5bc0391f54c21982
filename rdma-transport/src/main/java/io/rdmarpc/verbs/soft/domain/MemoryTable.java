package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.rnic.RandomNumbers;
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
 * All memory regions by their keys.
 *
 * <p>A remote key is a random number of 32 bits: see {@link RemoteKeys}. A local key never leaves the process, and no
 * request of a peer is looked up by it. Its upper half is the slot of the region, its lower half a random number. A
 * slot that is used again gets another key, so that the old key is invalid. The slot that has been free for the longest
 * time is used first.
 */
public final class MemoryTable {

    public static final int MAX_REGIONS = 0xFFFF;

    private static final int SLOT_SHIFT = 16;

    private @Nullable SoftMemoryRegion[] slots = new SoftMemoryRegion[64];
    private int used;
    /** The local key of each slot's current or last region. */
    private int[] localKeys = new int[64];

    private final Deque<Integer> free = new ArrayDeque<>();
    private final RandomNumbers random;
    private final RemoteKeys remoteKeys;
    private final @Nullable PeerMemory peerMemory;
    private final List<PeerMemory.Copies> copiesToAwait = new ArrayList<>();

    /**
     * Creates an empty table.
     *
     * @param peerMemory memory that is shared with peers on this host, or null
     */
    public MemoryTable(@Nullable PeerMemory peerMemory) {
        this(peerMemory, new SecureRandom());
    }

    public MemoryTable(@Nullable PeerMemory peerMemory, RandomGenerator random) {
        this.peerMemory = peerMemory;
        this.random = new RandomNumbers(random);
        this.remoteKeys = new RemoteKeys(this.random);
    }

    public boolean isFull() {
        return free.isEmpty() && used == MAX_REGIONS;
    }

    public SoftMemoryRegion register(
            DomainContext domain, MemorySegment segment, Set<AccessFlag> access, boolean lasts) {
        int slot = takeSlot();
        int lkey = newLocalKey(slot);
        // The remote key differs from the local one, so that a peer cannot derive the local key.
        int rkey = remoteKeys.draw(lkey);
        PeerMemory.Place place = placeForPeers(segment, access);
        SoftMemoryRegion region = new SoftMemoryRegion(domain, segment, access, lkey, rkey, place, lasts);
        remoteKeys.put(rkey, region);
        slots[slot] = region;
        return region;
    }

    /** Replaces the memory, rights and keys of a region; false if it is no longer registered. */
    public boolean reregister(SoftMemoryRegion region, MemorySegment segment, Set<AccessFlag> access) {
        int slot = region.lkey() >>> SLOT_SHIFT;
        if (slots[slot] != region) {
            return false;
        }
        revoke(region);
        int lkey = newLocalKey(slot);
        int rkey = remoteKeys.draw(lkey);
        PeerMemory.Place place = placeForPeers(segment, access);
        region.replaceRegistration(segment, access, lkey, rkey, place);
        remoteKeys.put(rkey, region);
        return true;
    }

    /** Replaces the remote key of a region; false if it is no longer registered, or peers may write to it. */
    boolean renewRemoteKey(SoftMemoryRegion region) {
        int slot = region.lkey() >>> SLOT_SHIFT;
        if (slots[slot] != region || region.access().contains(AccessFlag.REMOTE_WRITE)) {
            return false; // A peer may be copying into it, so only a new registration can replace its key.
        }
        int old = region.rkey();
        int fresh = remoteKeys.draw(region.lkey());
        remoteKeys.end(old);
        region.setRemoteKey(fresh);
        remoteKeys.put(fresh, region);
        if (peerMemory != null && region.place() != null) {
            peerMemory.renew(old, fresh);
        }
        return true;
    }

    private void revoke(SoftMemoryRegion region) {
        remoteKeys.end(region.rkey());
        if (peerMemory != null && region.place() != null) {
            PeerMemory.Copies copies = peerMemory.revoke(region.rkey());
            if (region.access().contains(AccessFlag.REMOTE_WRITE)) {
                region.copiedBy(copies); // Peers without the right to write never copy into it.
            }
        }
    }

    /** Adds copies with a revoked key to those of {@link #drainCopiesToAwait}. */
    void awaitLater(PeerMemory.Copies copies) {
        copiesToAwait.add(copies);
    }

    /** Returns and removes the copies for which the caller has to wait without the lock. */
    public List<PeerMemory.Copies> drainCopiesToAwait() {
        List<PeerMemory.Copies> all = List.copyOf(copiesToAwait);
        copiesToAwait.clear();
        return all;
    }

    private PeerMemory.@Nullable Place placeForPeers(MemorySegment segment, Set<AccessFlag> access) {
        boolean forPeers = access.contains(AccessFlag.REMOTE_READ) || access.contains(AccessFlag.REMOTE_WRITE);
        return peerMemory != null && forPeers ? peerMemory.place(segment) : null;
    }

    private int takeSlot() {
        if (used < MAX_REGIONS && free.isEmpty()) {
            if (used == slots.length) {
                slots = Arrays.copyOf(slots, 2 * used);
                localKeys = Arrays.copyOf(localKeys, 2 * used);
            }
            return used++;
        }
        return free.remove();
    }

    private int newLocalKey(int slot) {
        int last = localKeys[slot];
        int key;
        do {
            key = slot << SLOT_SHIFT | random.next() >>> SLOT_SHIFT;
        } while (key == last || key == slot << SLOT_SHIFT);
        localKeys[slot] = key;
        return key;
    }

    /** Invalidates both keys; false if they were invalid already. */
    public boolean deregister(SoftMemoryRegion region) {
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

    /** Finds the region for a local access, or null if the key, the range or the right does not allow it. */
    @Nullable
    public SoftMemoryRegion local(DomainContext domain, int lkey, long address, long length, int right) {
        int slot = lkey >>> SLOT_SHIFT;
        SoftMemoryRegion region = slot < slots.length ? slots[slot] : null;
        return region != null && region.lkey() == lkey && isAllowed(region, domain, address, length, right)
                ? region
                : null;
    }

    /** Finds the region for a peer's access, or null if the key, the range or the right does not allow it. */
    @Nullable
    public SoftMemoryRegion remote(DomainContext domain, int rkey, long address, long length, int right) {
        SoftMemoryRegion region = remoteKeys.find(rkey);
        return region != null && isAllowed(region, domain, address, length, right) ? region : null;
    }

    private static boolean isAllowed(
            SoftMemoryRegion region, DomainContext domain, long address, long length, int right) {
        return region.domain() == domain && region.allows(address, length, right);
    }
}
