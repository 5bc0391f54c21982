package io.rdmarpc.verbs.soft.rnic;

import java.util.random.RandomGenerator;

/**
 * Unpredictable numbers, taken from their source in batches: registering memory pays for a call into the source once in a few
 * hundred times. Under the RNIC's lock.
 */
public final class RandomNumbers {

    public static final int BATCH = 256;

    private final RandomGenerator source;
    private final byte[] bytes = new byte[BATCH * Integer.BYTES];
    private int next = bytes.length;

    /**
     * Takes nothing from the source yet.
     *
     * @param source a cryptographic one, unless a test wants certain numbers
     */
    public RandomNumbers(RandomGenerator source) {
        this.source = source;
    }

    /** Returns a number of 32 bits. What was given out is not kept here. */
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
