package io.rdmarpc.rpc.wire;

import java.security.SecureRandom;

/**
 * A random number that nobody guesses and nothing else has.
 *
 * @param high the first 8 bytes
 * @param low the last 8 bytes
 */
public record Id128(long high, long low) {

    private static final SecureRandom RANDOM = new SecureRandom();

    /**
     * Makes one.
     *
     * @return a number from a cryptographic source
     */
    public static Id128 random() {
        return new Id128(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Only a part: who knows all of it may pass for its owner. */
    @Override
    public String toString() {
        return Integer.toHexString((int) (high >>> 32));
    }
}
