package io.rdmarpc.rpc.wire;

import java.security.SecureRandom;

/**
 * A random number that is unique and cannot be guessed.
 *
 * @param high the first 8 bytes
 * @param low the last 8 bytes
 */
public record Id128(long high, long low) {

    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Creates a random number.
     *
     * @return a number from a cryptographic source
     */
    public static Id128 random() {
        return new Id128(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Returns only a part of the number, because the number is a secret. */
    @Override
    public String toString() {
        return Integer.toHexString((int) (high >>> 32));
    }
}
