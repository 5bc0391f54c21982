package io.rdmarpc.verbs.soft.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that processes of one host read from and write to each other without sending it. Who owns memory says with each grant
 * where it is, and revokes keys; who reads looks at the key again when it has copied, who writes pins it before.
 */
public interface PeerMemory {

    /**
     * Where memory is for a peer.
     *
     * @param pages which of its owner's pieces
     * @param offset from its start
     */
    record Place(int pages, long offset) {}

    /** A peer's piece of memory that is seen in place. It stays as it is until it is released, whatever its owner frees. */
    interface Sight {

        /** Returns all of the piece. */
        MemorySegment memory();

        /** Ends it, once. Any thread. */
        void release();
    }

    /**
     * Allocates zeroed memory that peers may map. Any thread.
     *
     * @param arena owns it
     * @param bytes how many
     * @throws IOException when there is not enough
     */
    MemorySegment allocate(Arena arena, long bytes) throws IOException;

    /** Tells where peers find memory, or null when they cannot map it. */
    @Nullable
    Place place(MemorySegment memory);

    /**
     * Sees to it that a peer can map memory, before it is told of it.
     *
     * @param pages which piece
     * @return false when it cannot, or not now
     */
    boolean share(LinkAddress peer, int pages);

    /** Makes a key valid. */
    void publish(int key);

    /** Makes a key invalid, before its memory is used for anything else. Waits for peers that copy with it just now. */
    void revoke(int key);

    /** Returns a peer's memory, or null when it cannot be mapped. */
    @Nullable
    MemorySegment pages(LinkAddress peer, int number);

    /** Begins to see a peer's memory in place, of which its owner is told by {@link #isSeen}; null when it cannot be mapped. */
    @Nullable
    Sight see(LinkAddress peer, int number);

    /** Tells whether a peer sees an own piece of memory in place. Any thread. */
    boolean isSeen(int pages);

    /** Keeps a peer's key from being revoked until {@link #unpin}; false when it is not valid. One at a time, for short. */
    boolean pin(LinkAddress peer, int key);

    /** Ends it. */
    void unpin(LinkAddress peer);

    /** Tells whether a peer's key was valid all the time until now; asked after its memory was copied. */
    boolean isValid(LinkAddress peer, int key);

    /** Returns which registration a peer's key is of, 0 when it is not valid: as {@link #isValid}, and never the same of two. */
    int registration(LinkAddress peer, int key);
}
