package io.rdmarpc.remote.lease;

import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;

/**
 * Represents a grant in any message. The receiver may open the region once, unless the grant is for another peer. A
 * token is a secret like a password, and has no use after the end of the grant. Immutable.
 *
 * <pre>
 *   0       1        2            8               24              40            48
 *   +-------+--------+------------+---------------+---------------+-------------+
 *   | ver 1 | rights | 0          | owner         | secret        | bytes       |
 *   +-------+--------+------------+---------------+---------------+-------------+
 * </pre>
 */
public final class RegionToken {

    /** Length of the encoded form. */
    public static final int ENCODED_BYTES = 48;

    private static final int VERSION = 1;
    private static final int PADDING = 6;

    private final UUID owner;
    private final UUID secret;
    private final long length;
    private final Set<RemoteRight> rights;

    private RegionToken(UUID owner, UUID secret, long length, Set<RemoteRight> rights) {
        this.owner = owner;
        this.secret = secret;
        this.length = length;
        this.rights = rights;
    }

    /**
     * Returns the identity of the {@link RemoteMemory} that owns the memory.
     *
     * @return its {@link RemoteMemory#id}
     */
    public UUID owner() {
        return owner;
    }

    /**
     * Returns the length of the granted memory, as the sender of the token states it. The owner's response on opening
     * is authoritative.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * Returns the granted rights, as the sender of the token states them. The owner's response on opening is
     * authoritative.
     *
     * @return the rights
     */
    public Set<RemoteRight> rights() {
        return rights;
    }

    /**
     * Encodes the token.
     *
     * @return {@value #ENCODED_BYTES} bytes
     */
    public byte[] encode() {
        return ByteBuffer.allocate(ENCODED_BYTES)
                .put((byte) VERSION)
                .put((byte) RemoteRight.bits(rights))
                .put(new byte[PADDING])
                .putLong(owner.getMostSignificantBits())
                .putLong(owner.getLeastSignificantBits())
                .putLong(secret.getMostSignificantBits())
                .putLong(secret.getLeastSignificantBits())
                .putLong(length)
                .array();
    }

    /**
     * Decodes bytes from {@link #encode}.
     *
     * @param bytes exactly {@value #ENCODED_BYTES}
     * @return the token
     * @throws RdmaRemoteMemoryException if the bytes are not an encoded token
     */
    public static RegionToken decode(byte[] bytes) {
        if (bytes.length != ENCODED_BYTES || bytes[0] != VERSION) {
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    "This is not a region token: " + bytes.length + " bytes"
                            + (bytes.length == 0 ? "" : " of version " + bytes[0]) + " instead of " + ENCODED_BYTES
                            + " of version " + VERSION + ". Use all bytes of RegionToken.encode().");
        }
        ByteBuffer from = ByteBuffer.wrap(bytes);
        Set<RemoteRight> rights = RemoteRight.ofBits(from.getShort() & 0xFF);
        from.position(from.position() + PADDING);
        UUID owner = new UUID(from.getLong(), from.getLong());
        return new RegionToken(owner, new UUID(from.getLong(), from.getLong()), from.getLong(), rights);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RegionToken token && token.owner.equals(owner) && token.secret.equals(secret);
    }

    @Override
    public int hashCode() {
        return secret.hashCode();
    }

    @Override
    public String toString() {
        return "a token for " + length + " bytes of " + owner + " " + rights;
    }
}
