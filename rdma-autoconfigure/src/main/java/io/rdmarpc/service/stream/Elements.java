package io.rdmarpc.service.stream;

import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Elements to be sent one by one. They are read on a thread that may block.
 *
 * @param iterator provides the elements
 * @param onClose releases the source, whether it has completed or not; usually runs on the thread that reads the
 *     elements
 * @param onCancel wakes a thread that waits for an element if the source supports that; called on any thread
 */
public record Elements(Iterator<?> iterator, Runnable onClose, Runnable onCancel) implements AutoCloseable {

    /**
     * Creates elements of a source that any thread may close.
     *
     * @param iterator provides the elements
     * @param onEnd releases the source
     */
    public Elements(Iterator<?> iterator, Runnable onEnd) {
        this(iterator, onEnd, onEnd);
    }

    /**
     * Returns the elements of an argument or result.
     *
     * @param source a stream, iterator or flux; not null
     * @return its elements; a flux is subscribed to at once, with a small prefetch
     */
    public static Elements of(@Nullable Object source) {
        return switch (source) {
            case null -> throw new IllegalArgumentException("A stream of elements must not be null");
            case Stream<?> stream -> new Elements(stream.iterator(), once(stream::close), Elements::cannotWake);
            case Iterator<?> iterator -> new Elements(iterator, once(() -> close(iterator)), Elements::cannotWake);
            default -> Reactor.elementsOf(source);
        };
    }

    /** A thread that waits for an element of a stream or iterator cannot be woken. */
    private static void cannotWake() {}

    /** Allows the reading thread and another thread to close the source. It is closed only once. */
    private static Runnable once(Runnable close) {
        AtomicBoolean closed = new AtomicBoolean();
        return () -> {
            if (closed.compareAndSet(false, true)) {
                close.run();
            }
        };
    }

    private static void close(Iterator<?> iterator) {
        if (iterator instanceof AutoCloseable closeable) {
            try {
                closeable.close();
            } catch (Exception e) {
                throw new IllegalStateException("Closing the source of the elements failed", e);
            }
        }
    }

    /** Wakes a thread that waits for an element, if the source supports that. */
    public void cancel() {
        onCancel.run();
    }

    @Override
    public void close() {
        onClose.run();
    }
}
