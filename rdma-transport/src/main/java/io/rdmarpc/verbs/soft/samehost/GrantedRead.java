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

/** What a peer on this host has granted for a READ: copied once, from its memory into that of the work request, or seen there. */
public final class GrantedRead {

    /** What is shorter is sent sooner than it is found. */
    public static final int SHORTEST_BYTES = 8192;

    /** Longer copies are no faster. */
    private static final int PIECE_BYTES = MappedWrite.PIECE_BYTES;

    private final DomainContext domain;
    private final @Nullable PeerMemory memory;
    private final KnownGrants known = new KnownGrants();
    private final DeclinedKeys declined = new DeclinedKeys();

    /** How it ended. */
    public enum Outcome {
        COPIED,
        /** The own memory may not be written. */
        FORBIDDEN,
        /** The peer's memory cannot be mapped, or its key was revoked meanwhile: to be asked for again. */
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

    /** Returns a view to be asked for, or one that is there because it was granted before, or null when it cannot be. */
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
        if (!see(peer, view, rkey, grant.entry(), grant.pages(), grant.start() + address)) {
            known.remove(grant);
            return null; // Its key was revoked: there is nothing to see.
        }
        view.complete();
        return view;
    }

    /** Returns what is known of memory whose owner has replaced its key since, or null. */
    private KnownGrants.@Nullable Grant withNewKey(LinkAddress peer, int rkey, long address, int length) {
        KnownGrants.Grant grant = known.findAt(address, length);
        return grant != null && memory != null && memory.isValid(peer, rkey, grant.entry()) ? grant : null;
    }

    /** Has a part of a view be what was granted, or ends the view. */
    public void see(LinkAddress peer, SendWqe wqe, SoftMemoryView view, int offset, PacketBuffer grant) {
        int pages = GrantEth.pages(grant.bytes());
        if (pages == GrantEth.NOWHERE) {
            declined.add(wqe.rkey);
            view.close();
            return;
        }
        long entry = GrantEth.grant(grant.bytes());
        long first = wqe.remoteAddress + offset;
        long start = GrantEth.pagesOffset(grant.bytes()) - first;
        if (see(peer, view, wqe.rkey, entry, pages, start + wqe.remoteAddress)) {
            long end = first + GrantEth.length(grant.bytes());
            known.add(new KnownGrants.Grant(wqe.rkey, entry, pages, start, first, end));
        }
    }

    /** The owner can see that its memory is seen before it is looked at whether the key is still that of the same memory. */
    private boolean see(LinkAddress peer, SoftMemoryView view, int rkey, long entry, int pages, long offset) {
        PeerMemory.Sight sight = memory == null ? null : memory.see(peer, pages);
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

    /** The connection has ended. */
    public void forget() {
        known.clear();
        declined.clear();
    }
}
