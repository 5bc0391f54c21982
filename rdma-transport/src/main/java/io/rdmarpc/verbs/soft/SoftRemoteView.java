package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.RemoteView;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What a work request for a view has led to so far. The peer may grant it in several parts, which must be one piece. */
final class SoftRemoteView implements RemoteView {

    private final int length;
    private PeerMemory.@Nullable Sight sight;
    private int pages;
    private long offset;
    private boolean ended;
    private volatile @Nullable MemorySegment memory;

    SoftRemoteView(int length) {
        this.length = length;
    }

    /** Takes the grant of a part. What it says is believed as far as it lies in the peer's pages. */
    synchronized void take(PeerMemory.Sight granted, int grantedPages, long start) {
        boolean first = sight == null && !ended;
        if (first && start >= 0 && start <= granted.memory().byteSize() - length) {
            sight = granted;
            pages = grantedPages;
            offset = start;
            return;
        }
        granted.release();
        if (first || grantedPages != pages || start != offset) {
            close();
        }
    }

    /** All parts are here. */
    synchronized void complete() {
        if (sight != null) {
            memory = sight.memory().asSlice(offset, length).asReadOnly();
        }
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
