package io.rdmarpc.service.stream;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * The elements of a stream, one message each. {@link #hasNext} decodes the message and releases it. An element that is
 * never consumed therefore holds no registered memory.
 */
public abstract class DecodedElements implements Iterator<@Nullable Object> {

    private @Nullable Object next;
    private boolean available;
    private boolean ended;

    /** Creates the iterator before its first element. */
    protected DecodedElements() {}

    /**
     * Waits for the next message and passes its element to {@link #found}; returns without a call at the end of the
     * stream.
     */
    protected abstract void read();

    /**
     * Sets the next element.
     *
     * @param element the next element
     */
    protected final void found(@Nullable Object element) {
        next = element;
        available = true;
    }

    @Override
    public final boolean hasNext() {
        if (!available && !ended) {
            read();
            ended = !available;
        }
        return available;
    }

    @Override
    public final @Nullable Object next() {
        if (!hasNext()) {
            throw new NoSuchElementException("The stream has ended");
        }
        Object element = next;
        next = null;
        available = false;
        return element;
    }
}
