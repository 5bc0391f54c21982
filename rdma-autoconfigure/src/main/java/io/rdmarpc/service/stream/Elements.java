package io.rdmarpc.service.stream;

import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Elements that are to be sent one by one, taken on a thread that may wait.
 *
 * @param iterator gives them
 * @param onClose lets the source go, finished or not; as a rule on the thread that takes the elements
 * @param onCancel wakes a thread that waits for an element, if the source can do that; any thread
 */
public record Elements(Iterator<?> iterator, Runnable onClose, Runnable onCancel) implements AutoCloseable {

    /**
     * Makes elements of a source that any thread may close.
     *
     * @param iterator gives them
     * @param onEnd lets the source go
     */
    public Elements(Iterator<?> iterator, Runnable onEnd) {
        this(iterator, onEnd, onEnd);
    }

    /**
     * Makes elements of what a method was given or has returned.
     *
     * @param source a stream, iterator or flux; not null
     * @return its elements; a flux is subscribed to now, and asked for a few elements at a time
     */
    public static Elements of(@Nullable Object source) {
        return switch (source) {
            case null -> throw new IllegalArgumentException("null where a stream of elements belongs");
            case Stream<?> stream -> new Elements(stream.iterator(), once(stream::close), Elements::cannotWake);
            case Iterator<?> iterator -> new Elements(iterator, once(() -> close(iterator)), Elements::cannotWake);
            default -> Reactor.elementsOf(source);
        };
    }

    /** Who waits for an element of it waits for that element. */
    private static void cannotWake() {}

    /** The thread that takes elements and one that frees it may both close. */
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
                throw new IllegalStateException("the elements could not be closed", e);
            }
        }
    }

    /** Wakes a thread that waits for an element. */
    public void cancel() {
        onCancel.run();
    }

    @Override
    public void close() {
        onClose.run();
    }
}
