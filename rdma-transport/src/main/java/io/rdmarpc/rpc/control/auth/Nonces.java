package io.rdmarpc.rpc.control.auth;

import io.rdmarpc.rpc.wire.Nonce;
import java.security.SecureRandom;

/** Random bytes from a cryptographic source. */
public final class Nonces {

    private static final SecureRandom RANDOM = new SecureRandom();

    private Nonces() {}

    public static Nonce random() {
        byte[] bytes = new byte[Nonce.BYTES];
        RANDOM.nextBytes(bytes);
        return new Nonce(bytes);
    }

    public static long cookie() {
        return RANDOM.nextLong();
    }
}
