package io.rdmarpc.rpc.wire;

import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

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

    // Written out, because the record's own methods link method handles at their first call, which delays an
    // application's first call.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Id128 that && high == that.high && low == that.low;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(high) + Long.hashCode(low);
    }

    /** Returns only a part of the number, because the number is a secret. */
    @Override
    public String toString() {
        return Integer.toHexString((int) (high >>> 32));
    }
}
