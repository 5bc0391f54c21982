package io.rdmarpc.verbs.ipc;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer that this process has mapped, so that nothing has to be copied: what UCX calls {@code rkey_ptr}. Requested by
 * {@link IpcQueuePair#postView}, and available when that has completed or at once. The caller closes it, however the request ended. Any thread.
 *
 * <p>Its owner can write there at any time. While the view is open, {@link IpcMemoryRegion#isViewed} reports it to the owner. An owner that frees
 * the memory nevertheless, or dies, takes nothing away: the bytes stay as they were until the view is closed.
 */
public interface PeerMemoryView extends AutoCloseable {

    /**
     * Returns the memory.
     *
     * @return a read-only segment of the requested length. Null before the completion, after {@link #close}, and when the peer's memory could
     *     not be mapped after all: READ it then
     */
    @Nullable
    MemorySegment memory();

    /**
     * Tells whether a completion reports the view: decided by the request, and never changed.
     *
     * @return false when its memory was available at once
     */
    boolean isPosted();

    /** Ends the view: its memory may not be used any more. A second call does nothing. */
    @Override
    void close();
}
