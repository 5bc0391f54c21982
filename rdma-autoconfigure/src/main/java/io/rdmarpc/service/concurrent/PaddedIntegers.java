package io.rdmarpc.service.concurrent;

import java.util.concurrent.atomic.AtomicIntegerArray;

/** Integers that different processors write: each has cache lines of its own. Thread-safe. */
public final class PaddedIntegers {

    /** Distance of two integers: 128 bytes, because processors fetch cache lines in pairs. */
    private static final int STRIDE = 32;

    private final AtomicIntegerArray values;

    /**
     * Creates integers that are 0.
     *
     * @param count how many
     */
    public PaddedIntegers(int count) {
        // Unused elements before the first value keep it off the line of the array's length, which each access reads.
        this.values = new AtomicIntegerArray((count + 1) * STRIDE);
    }

    private static int at(int index) {
        return (index + 1) * STRIDE;
    }

    /**
     * Returns a value.
     *
     * @param index from 0
     * @return the value, as of a volatile read
     */
    public int get(int index) {
        return values.get(at(index));
    }

    /**
     * Sets a value, as a release write does.
     *
     * @param index from 0
     * @param value the value
     */
    public void setRelease(int index, int value) {
        values.setRelease(at(index), value);
    }

    /**
     * Adds to a value, as a volatile write does.
     *
     * @param index from 0
     * @param delta what to add
     * @return the sum
     */
    public int addAndGet(int index, int delta) {
        return values.addAndGet(at(index), delta);
    }

    /**
     * Replaces a value, as a volatile write does.
     *
     * @param index from 0
     * @param value the new value
     * @return the old value
     */
    public int getAndSet(int index, int value) {
        return values.getAndSet(at(index), value);
    }

    /**
     * Replaces a value if it is the expected one, as a volatile write does.
     *
     * @param index from 0
     * @param expected the expected value
     * @param value the new value
     * @return whether it was the expected one
     */
    public boolean compareAndSet(int index, int expected, int value) {
        return values.compareAndSet(at(index), expected, value);
    }
}
