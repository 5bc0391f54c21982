package io.rdmarpc.remote;

import java.security.SecureRandom;

/** 128 bits that nobody guesses: who knows them may open a grant. */
record Secret(long high, long low) {

    private static final SecureRandom RANDOM = new SecureRandom();

    static Secret fresh() {
        return new Secret(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Not for logs. */
    @Override
    public String toString() {
        return "a secret";
    }
}
