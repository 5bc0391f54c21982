package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.StopPoint;
import io.rdmarpc.verbs.soft.wire.GrantEth;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What a peer on this host has granted for a READ: copied once, from its memory into that of the work request, or seen there. */
final class GrantedRead {

    /** Longer copies are no faster. */
    private static final int PIECE_BYTES = MappedWrite.PIECE_BYTES;

    private final SoftProtectionDomain domain;
    private final @Nullable PeerMemory memory;
    private final KnownGrants known = new KnownGrants();

    /** How it ended. */
    enum Outcome {
        COPIED,
        /** The own memory may not be written. */
        FORBIDDEN,
        /** The peer's memory cannot be mapped, or its key was revoked meanwhile: to be asked for again. */
        GONE
    }

    GrantedRead(SoftProtectionDomain domain) {
        this.domain = domain;
        this.memory = domain.rnic().peerMemory();
    }

    Outcome copy(LinkAddress peer, SendWqe into, int offset, PacketBuffer grant) {
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
        return memory.isValid(peer, GrantEth.rkey(grant.bytes())) ? Outcome.COPIED : Outcome.GONE;
    }

    /** Sees what was granted before, or returns null when it must be asked for. */
    @Nullable
    SoftRemoteView seeKnown(LinkAddress peer, long address, int rkey, int length) {
        KnownGrants.Grant grant = known.find(rkey, address, length);
        PeerMemory.Sight sight = memory == null || grant == null ? null : memory.see(peer, grant.pages());
        if (memory == null || grant == null || sight == null) {
            return null;
        }
        SoftRemoteView view = new SoftRemoteView(length);
        view.take(sight, grant.pages(), grant.start() + address);
        if (!memory.isValid(peer, rkey)) {
            view.close();
            return null;
        }
        view.complete();
        return view;
    }

    /** Has a part of a view be what was granted, or ends the view. Its owner sees that it is seen before the key is looked at. */
    void see(LinkAddress peer, SendWqe wqe, SoftRemoteView view, int offset, PacketBuffer packet) {
        int number = GrantEth.pages(packet.bytes());
        PeerMemory.Sight sight = memory == null ? null : memory.see(peer, number);
        if (sight == null || memory == null) {
            view.close();
            return;
        }
        long first = wqe.remoteAddress + offset;
        long start = GrantEth.pagesOffset(packet.bytes()) - first;
        view.take(sight, number, start + wqe.remoteAddress);
        if (memory.isValid(peer, GrantEth.rkey(packet.bytes())) && GrantEth.rkey(packet.bytes()) == wqe.rkey) {
            known.add(new KnownGrants.Grant(wqe.rkey, number, start, first, first + GrantEth.length(packet.bytes())));
        } else {
            view.close();
        }
    }

    /** The connection has ended. */
    void forget() {
        known.clear();
    }
}
