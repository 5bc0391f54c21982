package io.rdmarpc.rpc.wire;

import java.security.MessageDigest;
import java.util.Arrays;

/** Proof of knowing the shared token, HMAC-SHA-256. */
public final class Mac {

    /** How many there are. */
    public static final int BYTES = 32;

    private final byte[] bytes;

    /**
     * Takes the bytes over.
     *
     * @param bytes {@value #BYTES} of them
     */
    public Mac(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a mac has " + BYTES + " bytes, not " + bytes.length);
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
        return other instanceof Mac that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "mac";
    }
}
