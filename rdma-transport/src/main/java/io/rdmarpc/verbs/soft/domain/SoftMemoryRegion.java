package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ipc.IpcMemoryRegion;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory. All access goes through the segment given at registration, so a wrong address cannot leave it. If
 * its arena was closed too early, work requests complete with an error.
 */
public final class SoftMemoryRegion implements MemoryRegion, IpcMemoryRegion, OpenChildren.Child {

    private static final String REREGISTER = "ibv_rereg_mr";
    private static final String DEREGISTER = "ibv_dereg_mr";

    private final DomainContext domain;
    private MemorySegment segment;
    private Set<AccessFlag> access;
    private int accessBits;
    private long address;
    private long length;
    private int lkey;
    private int rkey;
    private PeerMemory.@Nullable Place place;
    private volatile boolean lasts;

    /** Copies by peers that still write although their key is invalid. */
    private PeerMemory.@Nullable Copies copies;

    private final NonTemporalCopier lines = new NonTemporalCopier(NanoClock.SYSTEM);

    public SoftMemoryRegion(
            DomainContext domain,
            MemorySegment segment,
            Set<AccessFlag> access,
            int lkey,
            int rkey,
            PeerMemory.@Nullable Place place,
            boolean lasts) {
        this.lasts = lasts;
        this.domain = domain;
        this.segment = segment;
        this.access = access;
        this.accessBits = AccessFlag.bits(access);
        this.address = addressOf(segment, access);
        this.length = segment.byteSize();
        this.lkey = lkey;
        this.rkey = rkey;
        this.place = place;
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public Set<AccessFlag> access() {
        return access;
    }

    DomainContext domain() {
        return domain;
    }

    /** Returns whether the memory stays valid as long as the region, so that raw addresses may be used. */
    public boolean lasts() {
        return lasts;
    }

    /** Returns the native address of a byte, given its address in work requests. */
    public long nativeAddress(long first) {
        return segment.address() + first - address;
    }

    /**
     * Returns the native address of bytes of the region, for a thread without the lock. The registration is checked
     * last: if it is still valid, it has not changed, so that all values that were read belong together.
     *
     * @return 0 if the memory may be freed before the region, the key differs, the registration ended, or not all bytes
     *     are inside
     */
    public long lastingAddress(int ofLkey, long first, int bytes) {
        boolean found = lkey == ofLkey && allows(first, bytes, 0);
        long at = nativeAddress(first);
        VarHandle.acquireFence();
        return found && lasts ? at : 0;
    }

    /** Returns whether the region contains a range and grants the right. */
    boolean allows(long first, long bytes, int right) {
        long offset = first - address;
        return (accessBits & right) == right && offset >= 0 && bytes <= length && offset <= length - bytes;
    }

    /** Returns the location at which peers on this host can map the memory, or null. */
    public PeerMemory.@Nullable Place place() {
        return place;
    }

    @Override
    public boolean isViewed() {
        PeerMemory memory = domain.rnic().peerMemory();
        PeerMemory.Place lent = place;
        return memory != null && lent != null && memory.isViewed(lent.pages());
    }

    @Override
    public void prepare(long offset, long bytes) {
        MemorySegment part = segment.asSlice(offset, bytes);
        if (place != null) {
            lines.prepare(part);
        }
    }

    @Override
    public void copyFrom(MemorySegment source, long sourceOffset, long offset, long bytes) {
        if (place == null) {
            MemorySegment.copy(source, sourceOffset, segment, offset, bytes);
        } else {
            lines.copy(source.asSlice(sourceOffset, bytes), segment.asSlice(offset, bytes));
        }
    }

    /** Returns the offset of an address in the file of its {@link #place}. The range was checked by {@link #allows}. */
    public long pagesOffset(PeerMemory.Place of, long first) {
        return of.offset() + first - address;
    }

    /**
     * Copies from this memory into a packet; false if the memory was freed. The range was checked by {@link #allows}.
     */
    public boolean copyOut(long first, int bytes, PacketBuffer packet, int at) {
        return copyOut(first, bytes, packet.memory(), at);
    }

    /** Copies from this memory; false if the memory was freed. The range was checked by {@link #allows}. */
    public boolean copyOut(long first, int bytes, MemorySegment to, long at) {
        return copy(segment, first - address, to, at, bytes);
    }

    /** Copies into this memory; false if the memory was freed. The range was checked by {@link #allows}. */
    public boolean copyIn(long first, int bytes, MemorySegment from, long at) {
        return copy(from, at, segment, first - address, bytes);
    }

    private static boolean copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, int bytes) {
        try {
            MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            return false; // Its arena is closed, or confined to another thread.
        }
    }

    /** Sets the copies by peers that still run although the key was just invalidated; under the lock. */
    void copiedBy(PeerMemory.@Nullable Copies peers) {
        copies = peers;
    }

    /** {@inheritDoc} The keys always change: the old keys give access to neither the old nor the new memory. */
    @Override
    public void reregister(MemorySegment otherSegment, Set<AccessFlag> otherAccess) {
        DomainContext.checkRegistration(REREGISTER, otherSegment, otherAccess);
        domain.rnic().lock();
        try {
            domain.checkReach(REREGISTER, otherSegment);
            checkCopies(REREGISTER);
            if (!domain.memory().reregister(this, otherSegment, Set.copyOf(otherAccess))) {
                throw new RdmaVerbsException(
                        REREGISTER,
                        DeviceConstants.NAME,
                        Errno.EINVAL,
                        "The memory region is closed. Register another.");
            }
        } finally {
            domain.rnic().unlock();
        }
        awaitCopies(REREGISTER);
    }

    @Override
    public boolean renewRemoteKey() {
        domain.rnic().lock();
        try {
            return domain.memory().renewRemoteKey(this);
        } finally {
            domain.rnic().unlock();
        }
    }

    /** Sets another remote key; called under the lock. */
    void setRemoteKey(int otherRkey) {
        rkey = otherRkey;
    }

    /** Ends the registration; {@link #lastingAddress} reports this to threads that found the region before. */
    void end() {
        lasts = false;
    }

    /**
     * Replaces the registration; called under the lock. Threads without the lock may be about to use the previous one
     * by {@link #lastingAddress}, so it is marked as ended before any value changes.
     */
    public void replaceRegistration(
            MemorySegment otherSegment,
            Set<AccessFlag> otherAccess,
            int otherLkey,
            int otherRkey,
            PeerMemory.@Nullable Place otherPlace) {
        lasts = false;
        VarHandle.fullFence();
        segment = otherSegment;
        access = otherAccess;
        accessBits = AccessFlag.bits(otherAccess);
        address = addressOf(otherSegment, otherAccess);
        length = otherSegment.byteSize();
        lkey = otherLkey;
        rkey = otherRkey;
        place = otherPlace;
    }

    private static long addressOf(MemorySegment of, Set<AccessFlag> access) {
        return access.contains(AccessFlag.ZERO_BASED) ? 0 : of.address();
    }

    /**
     * {@inheritDoc} Waits without the lock for peers on this host that write to the memory at that moment. If the
     * caller holds the lock, the RNIC waits for them later.
     */
    @Override
    public void close() {
        RnicContext rnic = domain.rnic();
        rnic.lock();
        boolean first;
        try {
            first = domain.memory().deregister(this);
            if (first) {
                domain.memoryAndHandles().remove(this);
            } else {
                checkCopies(DEREGISTER);
            }
        } finally {
            rnic.unlock();
        }
        if (first) {
            awaitCopies(DEREGISTER);
        }
    }

    private void awaitCopies(String verb) {
        PeerMemory.Copies peers = copies;
        RnicContext rnic = domain.rnic();
        if (peers == null) {
            return;
        }
        if (rnic.isLockedByCaller()) {
            domain.memory().awaitLater(peers);
            return;
        }
        if (!new CopyWait(rnic).await(peers)) {
            throw stillWritten(verb);
        }
    }

    /** Fails as long as a stopped peer may still write; under the lock. */
    private void checkCopies(String verb) {
        PeerMemory.Copies peers = copies;
        if (peers != null) {
            if (!peers.areOver()) {
                throw stillWritten(verb);
            }
            copies = null;
        }
    }

    private RdmaVerbsException stillWritten(String verb) {
        return new RdmaVerbsException(
                verb,
                DeviceConstants.NAME,
                Errno.EBUSY,
                "A process on this host has been stopped for more than " + CopyWait.LONGEST_NANOS / 1_000_000
                        + " ms while it was writing to memory of this region. The old keys are invalid, but it may"
                        + " continue to write. Close the arena of the memory, which is safe, or close the region again"
                        + " later. While that fails, the memory must not be used for anything else.");
    }
}
