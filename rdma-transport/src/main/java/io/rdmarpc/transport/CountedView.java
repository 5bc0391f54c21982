package io.rdmarpc.transport;

import io.rdmarpc.verbs.RemoteView;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A view whose bytes count until it is closed. */
final class CountedView implements RemoteView {

    private final RemoteView view;
    private final int bytes;
    private final AtomicLong open;
    private final AtomicBoolean closed = new AtomicBoolean();

    CountedView(RemoteView view, int bytes, AtomicLong open) {
        this.view = view;
        this.bytes = bytes;
        this.open = open;
        open.addAndGet(bytes);
    }

    @Override
    public @Nullable MemorySegment memory() {
        return view.memory();
    }

    @Override
    public boolean isPosted() {
        return view.isPosted();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            view.close();
            open.addAndGet(-bytes);
        }
    }
}
