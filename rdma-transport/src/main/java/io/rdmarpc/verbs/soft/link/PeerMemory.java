package io.rdmarpc.verbs.soft.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that processes of one host read from and write to each other without sending it. The owner says with each grant where
 * memory is, and which entry of the peer's own table stands for the key; and revokes keys. The reader looks at the entry again when
 * it has copied, the writer pins the key before.
 */
public interface PeerMemory {

    /** Instead of a grant: the memory is to be sent. */
    long NO_GRANT = 0;

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
     * Copies of peers into memory whose key was revoked meanwhile. The memory has no new owner before they are over. Under the RNIC's
     * lock.
     */
    interface Copies {

        /** Tells whether none is under way any more: each peer has ended its copy, or is dead. */
        boolean areOver();

        /** Takes no more packets from peers that have stopped in their copies. These may go on, so this does not end the copies. */
        void giveUp();
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
     * Sees to it that a peer can map memory and look at its key, before it is told of both. A peer sees no key but those that it
     * was granted.
     *
     * @param pages which piece
     * @param key its key, which holds until {@link #revoke}
     * @return the entry that stands for the key in the peer's table, and its registration, for the peer to know both; or {@link
     *     #NO_GRANT} when the peer cannot map the memory, or not now
     */
    long grant(LinkAddress peer, int pages, int key);

    /**
     * Replaces the key of memory that peers may read and not write. The old key is invalid for all that were granted it. A peer that
     * knows the new one uses its grant with that.
     */
    void renew(int key, int fresh);

    /**
     * Makes a key invalid for all that were granted it, before its memory is used for anything else.
     *
     * @return peers that copied into the memory at that moment, or null when there were none
     */
    @Nullable
    Copies revoke(int key);

    /** Returns a peer's memory, or null when it cannot be mapped. */
    @Nullable
    MemorySegment pages(LinkAddress peer, int number);

    /** Begins to see a peer's memory in place, of which its owner is told by {@link #isSeen}; null when it cannot be mapped. */
    @Nullable
    Sight see(LinkAddress peer, int number);

    /** Tells whether a peer sees an own piece of memory in place. Any thread. */
    boolean isSeen(int pages);

    /**
     * Keeps a peer's key from being revoked until {@link #unpin}; false when it is not valid. One at a time, for short.
     *
     * @param grant what the peer has said with its grant
     */
    boolean pin(LinkAddress peer, int key, long grant);

    /** Ends it. */
    void unpin();

    /**
     * Tells whether a peer's key was valid all the time until now, and of the registration that was granted; asked after its memory
     * was copied.
     *
     * @param grant what the peer has said with its grant
     */
    boolean isValid(LinkAddress peer, int key, long grant);
}
