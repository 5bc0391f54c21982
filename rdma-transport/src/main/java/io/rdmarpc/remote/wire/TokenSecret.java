package io.rdmarpc.remote.wire;

import java.security.SecureRandom;

/** A random number of 128 bits. It permits each process that knows it to open the grant. */
public record TokenSecret(long high, long low) {

    private static final SecureRandom RANDOM = new SecureRandom();

    public static TokenSecret fresh() {
        return new TokenSecret(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Omits the value, so that logs do not contain it. */
    @Override
    public String toString() {
        return "a secret";
    }
}
