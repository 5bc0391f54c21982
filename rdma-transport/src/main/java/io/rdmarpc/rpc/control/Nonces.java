package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.wire.Nonce;
import java.security.SecureRandom;

/** Random bytes from a cryptographic source. */
final class Nonces {

    private static final SecureRandom RANDOM = new SecureRandom();

    private Nonces() {}

    static Nonce random() {
        byte[] bytes = new byte[Nonce.BYTES];
        RANDOM.nextBytes(bytes);
        return new Nonce(bytes);
    }

    static long cookie() {
        return RANDOM.nextLong();
    }
}
