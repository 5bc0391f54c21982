package io.rdmarpc.remote.wire;

import java.security.SecureRandom;

/** 128 bits that nobody guesses: who knows them may open a grant. */
public record TokenSecret(long high, long low) {

    private static final SecureRandom RANDOM = new SecureRandom();

    public static TokenSecret fresh() {
        return new TokenSecret(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Not for logs. */
    @Override
    public String toString() {
        return "a secret";
    }
}
