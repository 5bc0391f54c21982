package io.rdmarpc.verbs.soft.rnic;

import java.util.random.RandomGenerator;

/**
 * Unpredictable numbers, drawn from their source in batches, so that only one registration of memory in a few hundred
 * calls the source. Under the RNIC's lock.
 */
public final class RandomNumbers {

    public static final int BATCH = 256;

    private final RandomGenerator source;
    private final byte[] bytes = new byte[BATCH * Integer.BYTES];
    private int next = bytes.length;

    /**
     * Creates the numbers; the first call of {@link #next} reads the source.
     *
     * @param source a cryptographic generator, except in tests
     */
    public RandomNumbers(RandomGenerator source) {
        this.source = source;
    }

    /** Returns a number of 32 bits, and erases it here. */
    public int next() {
        if (next == bytes.length) {
            source.nextBytes(bytes);
            next = 0;
        }
        int number = 0;
        for (int end = next + Integer.BYTES; next < end; next++) {
            number = number << Byte.SIZE | Byte.toUnsignedInt(bytes[next]);
            bytes[next] = 0;
        }
        return number;
    }
}
