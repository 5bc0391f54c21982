package io.rdmarpc.verbs;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer that this process sees itself, so that nothing has to be copied: what UCX calls {@code rkey_ptr}. Asked for by
 * {@link QueuePair#postView}, there when that has completed or at once, and the poster's to close, however it ended. Any thread.
 *
 * <p>Its owner can write there at any time. While the view is open the owner is told so by {@link MemoryRegion#isViewed}; an owner
 * that frees the memory nevertheless, or dies, takes nothing away: the bytes stay as they were until the view is closed.
 */
public interface RemoteView extends AutoCloseable {

    /**
     * Returns the memory.
     *
     * @return a read-only segment of the length that was asked for, or null before the completion, after {@link #close} and when
     *     the peer's memory could not be seen after all: READ it then
     */
    @Nullable
    MemorySegment memory();

    /**
     * Tells whether a completion tells of the view: decided when it was asked for, and never changed.
     *
     * @return false when its memory was there at once
     */
    boolean isPosted();

    /** Ends the view: its memory may not be used any more. A second call does nothing. */
    @Override
    void close();
}
