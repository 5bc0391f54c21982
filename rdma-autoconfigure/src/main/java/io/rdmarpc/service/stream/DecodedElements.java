package io.rdmarpc.service.stream;

import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * Elements of a stream, one message each. A message is read when its element is looked for: one that is looked at and never
 * taken keeps no memory of the NIC.
 */
public abstract class DecodedElements implements Iterator<@Nullable Object> {

    private @Nullable Object next;
    private boolean there;
    private boolean ended;

    /** Begins before the first element. */
    protected DecodedElements() {}

    /**
     * Waits for the next message and hands its element to {@link #found}, or does nothing at the end.
     */
    protected abstract void read();

    /**
     * Takes what was read.
     *
     * @param element the next one
     */
    protected final void found(@Nullable Object element) {
        next = element;
        there = true;
    }

    @Override
    public final boolean hasNext() {
        if (!there && !ended) {
            read();
            ended = !there;
        }
        return there;
    }

    @Override
    public final @Nullable Object next() {
        if (!hasNext()) {
            throw new NoSuchElementException("the stream has ended");
        }
        Object element = next;
        next = null;
        there = false;
        return element;
    }
}
