package io.rdmarpc.verbs.ipc;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer that this process has mapped, which avoids a copy. UCX calls this {@code rkey_ptr}.
 * {@link IpcQueuePair#postView} requests a view. The memory is available at once, or when the request has completed.
 * The caller closes the view even if the request failed. Thread-safe.
 *
 * <p>The owner of the memory can write to it at any time. While the view is open, {@link IpcMemoryRegion#isViewed}
 * reports it to the owner. If the owner frees the memory or dies, the bytes stay unchanged until the view is closed.
 */
public interface PeerMemoryView extends AutoCloseable {

    /**
     * Returns the memory.
     *
     * @return a read-only segment of the requested length. Null before the completion, after {@link #close}, and if the
     *     peer's memory could not be mapped: use a READ then
     */
    @Nullable
    MemorySegment memory();

    /**
     * Returns whether a completion reports the view. The request determines this; it never changes.
     *
     * @return false if the memory was available at once
     */
    boolean isPosted();

    /** Closes the view; its memory must not be used afterwards. A second call does nothing. */
    @Override
    void close();
}
