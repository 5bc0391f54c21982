package io.rdmarpc.remote.wire;

import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;

/**
 * Creates the token of a grant, and extracts the secret of a token. It relies on the layout of
 * {@link RegionToken#encode}, because the public class does not expose the secret.
 */
public final class TokenCodec {

    private static final int VERSION = 1;
    private static final int OWNER_OFFSET = 8;
    private static final int SECRET_OFFSET = 24;

    private TokenCodec() {}

    /**
     * Creates a token.
     *
     * @param owner the identity of the remote memory that made the grant
     * @param secret the secret that opens the grant
     * @param bytes length of the granted memory
     * @param rights the rights of the holder
     */
    public static RegionToken token(UUID owner, TokenSecret secret, long bytes, Set<RemoteRight> rights) {
        ByteBuffer to = ByteBuffer.allocate(RegionToken.ENCODED_BYTES)
                .put((byte) VERSION)
                .put((byte) RemoteRight.bits(rights))
                .position(OWNER_OFFSET)
                .putLong(owner.getMostSignificantBits())
                .putLong(owner.getLeastSignificantBits())
                .putLong(secret.high())
                .putLong(secret.low())
                .putLong(bytes);
        return RegionToken.decode(to.array());
    }

    /** Returns the secret that opens the grant of a token. */
    public static TokenSecret secretOf(RegionToken token) {
        ByteBuffer from = ByteBuffer.wrap(token.encode()).position(SECRET_OFFSET);
        return new TokenSecret(from.getLong(), from.getLong());
    }
}
