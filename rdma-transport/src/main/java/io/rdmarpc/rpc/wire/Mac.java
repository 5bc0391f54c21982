package io.rdmarpc.rpc.wire;

import java.security.MessageDigest;
import java.util.Arrays;

/** A proof that its sender knows the shared token: HMAC-SHA-256. */
public final class Mac {

    /** Length in bytes. */
    public static final int BYTES = 32;

    private final byte[] bytes;

    /**
     * Copies the bytes.
     *
     * @param bytes {@value #BYTES} bytes
     */
    public Mac(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException("a MAC must have " + BYTES + " bytes, but has " + bytes.length);
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

    /** Compares in constant time, so that the duration does not reveal the value. */
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
