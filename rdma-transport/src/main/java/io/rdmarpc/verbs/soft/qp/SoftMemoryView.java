package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.ipc.PeerMemoryView;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A view of a peer's memory that was requested. The peer may grant it in several parts, which must be contiguous. */
public final class SoftMemoryView implements PeerMemoryView {

    private final int length;
    private PeerMemory.@Nullable Sight sight;
    private int pages;
    private long offset;
    private long entry;
    private boolean ended;

    /** Written before the requesting thread gets the view. */
    private boolean posted;

    private volatile @Nullable MemorySegment memory;

    /**
     * Creates a view without memory.
     *
     * @param length length in bytes
     */
    public SoftMemoryView(int length) {
        this.length = length;
    }

    /**
     * Adds the grant of a part if it fits the view. Values from the peer are used only within the peer's pages. All
     * parts must belong to one registration.
     */
    public synchronized boolean take(PeerMemory.Sight granted, long grantedEntry, int grantedPages, long start) {
        boolean first = sight == null && !ended;
        if (first && start >= 0 && start <= granted.memory().byteSize() - length) {
            sight = granted;
            pages = grantedPages;
            offset = start;
            entry = grantedEntry;
            return true;
        }
        granted.release();
        boolean more = !ended && sight != null && grantedPages == pages && start == offset && grantedEntry == entry;
        if (!more) {
            close();
        }
        return more;
    }

    /** Makes the memory available, after the last part. */
    public synchronized void complete() {
        if (sight != null) {
            memory = sight.memory().asSlice(offset, length).asReadOnly();
        }
    }

    public void posted() {
        posted = true;
    }

    @Override
    public boolean isPosted() {
        return posted;
    }

    /** Returns whether the view is closed. */
    public synchronized boolean hasEnded() {
        return ended;
    }

    @Override
    public @Nullable MemorySegment memory() {
        return memory;
    }

    @Override
    public synchronized void close() {
        ended = true;
        memory = null;
        PeerMemory.Sight held = sight;
        if (held != null) {
            sight = null;
            held.release();
        }
    }
}
