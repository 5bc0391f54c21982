package io.rdmarpc.rpc.wire;

import java.security.MessageDigest;
import java.util.Arrays;

/** Random bytes of one connection, so that a proof made for another one is worth nothing. */
public final class Nonce {

    /** How many there are. */
    public static final int BYTES = 32;

    private final byte[] bytes;

    /**
     * Takes the bytes over.
     *
     * @param bytes {@value #BYTES} of them
     */
    public Nonce(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a nonce has " + BYTES + " bytes, not " + bytes.length);
        }
        this.bytes = bytes.clone();
    }

    /**
     * Returns the bytes.
     *
     * @return a copy
     */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** Takes as long for a wrong one as for the right one, so that time says nothing about it. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Nonce that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "nonce";
    }
}
