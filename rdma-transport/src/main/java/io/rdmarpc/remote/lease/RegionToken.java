package io.rdmarpc.remote.lease;

import io.rdmarpc.remote.RemoteMemory;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;

/**
 * Stands for a grant wherever bytes can go: whoever gets it may open the region, once, unless the grant names another
 * peer. It is a secret like a password, and worth nothing after the grant's end. Immutable.
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
     * Returns which {@link RemoteMemory} has the memory.
     *
     * @return its {@link RemoteMemory#id}
     */
    public UUID owner() {
        return owner;
    }

    /**
     * Returns how much was granted. What counts is what the owner says when the token is opened.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * Returns what was granted. What counts is what the owner says when the token is opened.
     *
     * @return the rights
     */
    public Set<RemoteRight> rights() {
        return rights;
    }

    /**
     * Writes it down.
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
     * Reads what {@link #encode} wrote.
     *
     * @param bytes exactly {@value #ENCODED_BYTES}
     * @return the token
     * @throws RdmaRemoteMemoryException when the bytes are something else
     */
    public static RegionToken decode(byte[] bytes) {
        if (bytes.length != ENCODED_BYTES || bytes[0] != VERSION) {
            throw new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    "This is no region token: " + bytes.length + " bytes"
                            + (bytes.length == 0 ? "" : " of version " + bytes[0]) + " instead of " + ENCODED_BYTES
                            + " of version " + VERSION + ". Use what RegionToken.encode() made, all of it.");
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
