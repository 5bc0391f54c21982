package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.StopPoint;
import io.rdmarpc.verbs.soft.wire.GrantEth;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Copies what a peer on this host has granted for a READ: once, from its memory into that of the work request. */
final class GrantedRead {

    /** Longer copies are no faster. */
    private static final int PIECE_BYTES = MappedWrite.PIECE_BYTES;

    private final SoftProtectionDomain domain;
    private final @Nullable PeerMemory memory;

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
}
