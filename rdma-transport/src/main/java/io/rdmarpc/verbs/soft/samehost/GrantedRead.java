package io.rdmarpc.verbs.soft.samehost;

import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.StopPoint;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.qp.SoftMemoryView;
import io.rdmarpc.verbs.soft.wire.GrantEth;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A READ of memory that a peer on this host granted: it copies once from the peer's memory, or makes a view of it. */
public final class GrantedRead {

    /** For shorter READs a response with data is faster than a grant. */
    public static final int SHORTEST_BYTES = 8192;

    /** Longer copies are not faster. */
    private static final int PIECE_BYTES = MappedWrite.PIECE_BYTES;

    private final DomainContext domain;
    private final @Nullable PeerMemory memory;
    private final KnownGrants known = new KnownGrants();
    private final DeclinedKeys declined = new DeclinedKeys();

    /** The outcome of a copy. */
    public enum Outcome {
        COPIED,
        /** The local memory does not allow the write. */
        FORBIDDEN,
        /** The peer's memory cannot be mapped, or its key was revoked during the copy: the READ has to be repeated. */
        GONE
    }

    public GrantedRead(DomainContext domain) {
        this.domain = domain;
        this.memory = domain.rnic().peerMemory();
    }

    public Outcome copy(LinkAddress peer, SendWqe into, int offset, PacketBuffer grant) {
        MemorySegment pages = memory == null ? null : memory.pages(peer, GrantEth.pages(grant.bytes()));
        long from = GrantEth.pagesOffset(grant.bytes());
        int bytes = GrantEth.length(grant.bytes());
        if (memory == null || pages == null || from < 0 || from > pages.byteSize() - bytes) {
            return Outcome.GONE;
        }
        for (int done = 0; done < bytes; done += PIECE_BYTES) {
            if (!into.scatter(domain, offset + done, Math.min(PIECE_BYTES, bytes - done), pages, from + done)) {
                return Outcome.FORBIDDEN;
            }
            StopPoint.IN_COPY.reach();
        }
        return memory.isValid(peer, into.rkey, GrantEth.grant(grant.bytes())) ? Outcome.COPIED : Outcome.GONE;
    }

    /**
     * Returns an empty view that the peer has to grant, or a complete view of memory that the peer granted before.
     * Returns null if the peer declined the key before, or revoked it.
     */
    @Nullable
    public SoftMemoryView view(LinkAddress peer, long address, int rkey, int length) {
        if (memory == null || declined.contains(rkey)) {
            return null;
        }
        SoftMemoryView view = new SoftMemoryView(length);
        KnownGrants.Grant grant = known.find(rkey, address, length);
        if (grant == null) {
            grant = withNewKey(peer, rkey, address, length);
        }
        if (grant == null) {
            return view;
        }
        if (!mapPart(peer, view, rkey, grant.entry(), grant.pages(), grant.start() + address)) {
            known.remove(grant);
            return null; // Its key was revoked, so the memory must not be viewed.
        }
        view.complete();
        return view;
    }

    /** Returns the grant of memory whose owner has replaced the key since, or null. */
    private KnownGrants.@Nullable Grant withNewKey(LinkAddress peer, int rkey, long address, int length) {
        KnownGrants.Grant grant = known.findAt(address, length);
        return grant != null && memory != null && memory.isValid(peer, rkey, grant.entry()) ? grant : null;
    }

    /** Adds a granted part to a view, or closes the view. */
    public void mapPart(LinkAddress peer, SendWqe wqe, SoftMemoryView view, int offset, PacketBuffer grant) {
        int pages = GrantEth.pages(grant.bytes());
        if (pages == GrantEth.NOWHERE) {
            declined.add(wqe.rkey);
            view.close();
            return;
        }
        long entry = GrantEth.grant(grant.bytes());
        long first = wqe.remoteAddress + offset;
        long start = GrantEth.pagesOffset(grant.bytes()) - first;
        if (mapPart(peer, view, wqe.rkey, entry, pages, start + wqe.remoteAddress)) {
            long end = first + GrantEth.length(grant.bytes());
            known.add(new KnownGrants.Grant(wqe.rkey, entry, pages, start, first, end));
        }
    }

    /**
     * Maps the pages for a view and then checks the key. In this order the owner can see that its memory is viewed
     * before this side decides that the key is still valid.
     */
    private boolean mapPart(LinkAddress peer, SoftMemoryView view, int rkey, long entry, int pages, long offset) {
        PeerMemory.Sight sight = memory == null ? null : memory.view(peer, pages);
        if (memory == null || sight == null) {
            view.close();
            return false;
        }
        boolean fits = view.take(sight, entry, pages, offset);
        boolean same = memory.isValid(peer, rkey, entry);
        if (!same) {
            view.close();
        }
        return fits && same;
    }

    /** Discards all grants at the end of the connection. */
    public void forget() {
        known.clear();
        declined.clear();
    }
}
