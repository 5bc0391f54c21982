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
 * <p>A remote key is a random number of 32 bits: see {@link RemoteKeys}. A local key never leaves the process, and no peer's
 * request is looked up by it. It is the region's slot in the upper half and a random number in the lower one: a slot that is used
 * again has another key, so that old ones are really invalid. The slot that was free for longest is used first.
 */
public final class MemoryTable {

    public static final int MAX_REGIONS = 0xFFFF;

    private static final int SLOT_SHIFT = 16;

    private @Nullable SoftMemoryRegion[] slots = new SoftMemoryRegion[64];
    private int used;
    /** The local keys of the slots' present or last regions. */
    private int[] localKeys = new int[64];

    private final Deque<Integer> free = new ArrayDeque<>();
    private final RandomNumbers random;
    private final RemoteKeys remoteKeys;
    private final @Nullable PeerMemory peerMemory;
    private final List<PeerMemory.Copies> copiesToAwait = new ArrayList<>();

    /**
     * Makes an empty table.
     *
     * @param peerMemory memory that peers on this host can read, or null
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
        // Who is told the one does not know the other.
        int rkey = remoteKeys.draw(lkey);
        PeerMemory.Place place = placeForPeers(segment, access);
        SoftMemoryRegion region = new SoftMemoryRegion(domain, segment, access, lkey, rkey, place, lasts);
        remoteKeys.put(rkey, region);
        slots[slot] = region;
        return region;
    }

    /** Has a region be another one, with other keys; false when it is not registered any more. */
    public boolean reregister(SoftMemoryRegion region, MemorySegment segment, Set<AccessFlag> access) {
        int slot = region.lkey() >>> SLOT_SHIFT;
        if (slots[slot] != region) {
            return false;
        }
        revoke(region);
        int lkey = newLocalKey(slot);
        int rkey = remoteKeys.draw(lkey);
        PeerMemory.Place place = placeForPeers(segment, access);
        region.become(segment, access, lkey, rkey, place);
        remoteKeys.put(rkey, region);
        return true;
    }

    /** Gives a region another remote key; false when it is not registered any more, or peers may write to it. */
    boolean renewRemoteKey(SoftMemoryRegion region) {
        int slot = region.lkey() >>> SLOT_SHIFT;
        if (slots[slot] != region || region.access().contains(AccessFlag.REMOTE_WRITE)) {
            return false; // Who may write may be copying into it, so that takes another registration.
        }
        int old = region.rkey();
        int fresh = remoteKeys.draw(region.lkey());
        remoteKeys.end(old);
        region.takeRemoteKey(fresh);
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
                region.copiedBy(copies); // Who may not write begins no copy.
            }
        }
    }

    /** Keeps peers that copy with a key that was revoked, for {@link #takeCopiesToAwait}. */
    void awaitLater(PeerMemory.Copies copies) {
        copiesToAwait.add(copies);
    }

    /** Returns the copies to wait for without the lock, each once. */
    public List<PeerMemory.Copies> takeCopiesToAwait() {
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

    /** Makes both keys invalid; false when they were already. */
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

    /** Finds the region for an own access, or null when the key, the range or the right does not allow it. */
    @Nullable
    public SoftMemoryRegion local(DomainContext domain, int lkey, long address, long length, int right) {
        int slot = lkey >>> SLOT_SHIFT;
        SoftMemoryRegion region = slot < slots.length ? slots[slot] : null;
        return region != null && region.lkey() == lkey && isAllowed(region, domain, address, length, right)
                ? region
                : null;
    }

    /** Finds the region for a peer's access, or null when the key, the range or the right does not allow it. */
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
