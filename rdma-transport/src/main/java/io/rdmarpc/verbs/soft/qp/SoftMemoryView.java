package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.ipc.PeerMemoryView;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What a work request for a view has led to so far. The peer may grant it in several parts, which must be one piece. */
public final class SoftMemoryView implements PeerMemoryView {

    private final int length;
    private PeerMemory.@Nullable Sight sight;
    private int pages;
    private long offset;
    private long entry;
    private boolean ended;

    /** Written before whoever asks has it. */
    private boolean posted;

    private volatile @Nullable MemorySegment memory;

    /**
     * Makes one without memory.
     *
     * @param length bytes
     */
    public SoftMemoryView(int length) {
        this.length = length;
    }

    /**
     * Takes the grant of a part, if it fits to the view. What it says is believed as far as it lies in the peer's pages. All parts are
     * of one registration.
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

    /** All parts are here. */
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

    /** Tells whether there is nothing more to come. */
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
