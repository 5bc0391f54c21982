package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory. All access goes through the segment given at registration, so a wrong address cannot leave it and an
 * arena that was closed too early makes an error completion.
 */
final class SoftMemoryRegion implements MemoryRegion, OpenChildren.Child {

    private final SoftProtectionDomain domain;
    private final MemorySegment segment;
    private final Set<AccessFlag> access;
    private final int accessBits;
    private final long address;
    private final long length;
    private final int lkey;
    private final int rkey;
    private final PeerMemory.@Nullable Place place;

    SoftMemoryRegion(
            SoftProtectionDomain domain,
            MemorySegment segment,
            Set<AccessFlag> access,
            int lkey,
            int rkey,
            PeerMemory.@Nullable Place place) {
        this.domain = domain;
        this.segment = segment;
        this.access = access;
        this.accessBits = AccessFlag.bits(access);
        this.address = access.contains(AccessFlag.ZERO_BASED) ? 0 : segment.address();
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

    SoftProtectionDomain domain() {
        return domain;
    }

    /** Tells whether a range lies inside and a right was given at registration. */
    boolean allows(long first, long bytes, int right) {
        long offset = first - address;
        return (accessBits & right) == right && offset >= 0 && bytes <= length && offset <= length - bytes;
    }

    /** Returns where peers on this host find it themselves, or null. */
    PeerMemory.@Nullable Place place() {
        return place;
    }

    /** Returns where in the file of its {@link #place} an address is. The range was checked by {@link #allows}. */
    long pagesOffset(PeerMemory.Place of, long first) {
        return of.offset() + first - address;
    }

    /** Copies from this memory into a packet; false when the memory is gone. The range was checked by {@link #allows}. */
    boolean copyOut(long first, int bytes, PacketBuffer packet, int at) {
        return copyOut(first, bytes, packet.memory(), at);
    }

    /** Copies from this memory; false when the memory is gone. The range was checked by {@link #allows}. */
    boolean copyOut(long first, int bytes, MemorySegment to, long at) {
        return copy(segment, first - address, to, at, bytes);
    }

    /** Copies into this memory; false when the memory is gone. The range was checked by {@link #allows}. */
    boolean copyIn(long first, int bytes, MemorySegment from, long at) {
        return copy(from, at, segment, first - address, bytes);
    }

    private static boolean copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, int bytes) {
        try {
            MemorySegment.copy(from, fromOffset, to, toOffset, bytes);
            return true;
        } catch (IllegalStateException | WrongThreadException e) {
            return false; // Its arena is closed, or belongs to one thread and another one polls.
        }
    }

    @Override
    public void close() {
        domain.rnic().lock();
        try {
            if (domain.rnic().memory().deregister(this)) {
                domain.memoryAndHandles().remove(this);
            }
        } finally {
            domain.rnic().unlock();
        }
    }
}
