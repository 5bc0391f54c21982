package io.rdmarpc.transport;

import io.rdmarpc.verbs.ipc.PeerMemoryView;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Memory of a peer on this host that this process has mapped, so that a large message needs no copy. A {@link
 * ViewHandler} receives the view and closes it. The view's bytes count against the connection until then. Thread-safe.
 *
 * <p>The peer can write to the memory at any time. It does not reuse the memory while the view is open.
 */
public final class RemoteView implements AutoCloseable {

    private final PeerMemoryView view;
    private final int bytes;
    private final AtomicLong open;
    private final AtomicBoolean closed = new AtomicBoolean();

    RemoteView(PeerMemoryView view, int bytes, AtomicLong open) {
        this.view = view;
        this.bytes = bytes;
        this.open = open;
        open.addAndGet(bytes);
    }

    /**
     * Returns the memory.
     *
     * @return a read-only segment of the requested length; null after {@link #close}, or if the memory could not be
     *     mapped and has to be READ
     */
    public @Nullable MemorySegment memory() {
        return view.memory();
    }

    boolean isPosted() {
        return view.isPosted();
    }

    /** Ends the view. Its memory must not be used any more. A second call does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            view.close();
            open.addAndGet(-bytes);
        }
    }
}
