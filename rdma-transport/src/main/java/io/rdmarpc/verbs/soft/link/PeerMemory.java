package io.rdmarpc.verbs.soft.link;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that processes on one host read and write directly, without packets. With each grant the owner passes the
 * location of the memory, and the entry in the peer's key table that represents the key. The owner can revoke keys. A
 * reader checks the entry again after its copy; a writer pins the key before its copy.
 */
public interface PeerMemory {

    /** The value for no grant: the data has to be sent. */
    long NO_GRANT = 0;

    /**
     * The location of memory for a peer.
     *
     * @param pages number of the owner's shared memory object
     * @param offset offset in that object
     */
    record Place(int pages, long offset) {}

    /**
     * A view of a peer's shared memory object. It stays mapped until it is released, even if its owner frees the
     * memory.
     */
    interface Sight {

        /** Returns the whole object. */
        MemorySegment memory();

        /** Releases the view. Called once, by any thread. */
        void release();
    }

    /**
     * Peers' copies into local memory that were running when its key was revoked. The memory must not be reused before
     * they have ended. Under the RNIC's lock.
     */
    interface Copies {

        /** Returns whether all copies have ended: each peer has ended its copy, or is dead. */
        boolean areOver();

        /**
         * Abandons the rings of peers that were stopped during their copies. This does not end the copies, because the
         * peers may continue.
         */
        void abandon();
    }

    /**
     * Allocates zeroed memory that peers may map. Any thread.
     *
     * @param arena owner of the memory
     * @param bytes size in bytes
     * @throws IOException if there is not enough memory
     */
    MemorySegment allocate(Arena arena, long bytes) throws IOException;

    /** Returns the location at which peers find memory, or null if they cannot map it. */
    @Nullable
    Place place(MemorySegment memory);

    /**
     * Makes memory and its key available to a peer, before the peer learns of both. A peer sees only the keys that were
     * granted to it.
     *
     * @param pages number of the shared memory object
     * @param key key of the memory, valid until {@link #revoke}
     * @return the entry and registration of the key in the peer's table; {@link #NO_GRANT} if the peer cannot map the
     * memory now
     */
    long grant(LinkAddress peer, int pages, int key);

    /**
     * Replaces the key of memory that peers may read and not write. The old key becomes invalid for all peers to which
     * it was granted. A peer that learns the new key continues to use its grant with it.
     */
    void renew(int key, int fresh);

    /**
     * Revokes a key for all peers to which it was granted, before its memory is reused.
     *
     * @return the copies of peers that were running at that moment, or null if there were none
     */
    @Nullable
    Copies revoke(int key);

    /** Returns a peer's memory, or null if it cannot be mapped. */
    @Nullable
    MemorySegment pages(LinkAddress peer, int number);

    /** Creates a view of a peer's memory, which its owner detects by {@link #isViewed}; null if it cannot be mapped. */
    @Nullable
    Sight view(LinkAddress peer, int number);

    /** Returns whether a peer has a view of a local shared memory object. Any thread. */
    boolean isViewed(int pages);

    /**
     * Pins a key of a peer, so that its revocation waits until {@link #unpin}; false if the key is not valid. One key
     * at a time, for a short time.
     *
     * @param grant the value of the peer's grant
     */
    boolean pin(LinkAddress peer, int key, long grant);

    /** Unpins the key of the last {@link #pin}. */
    void unpin();

    /**
     * Returns whether a peer's key was valid, with the granted registration, all the time until now. Called after the
     * memory was copied.
     *
     * @param grant the value of the peer's grant
     */
    boolean isValid(LinkAddress peer, int key, long grant);
}
