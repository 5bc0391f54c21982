package io.rdmarpc.remote.wire;

import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.UUID;

/**
 * Makes the token of a grant, and reads the secret of a token. Both go by the form of {@link RegionToken#encode}: users of tokens see
 * no secret.
 */
public final class TokenCodec {

    private static final int VERSION = 1;
    private static final int OWNER_OFFSET = 8;
    private static final int SECRET_OFFSET = 24;

    private TokenCodec() {}

    /**
     * Makes a token.
     *
     * @param owner identity of the remote memory that has the grant
     * @param secret opens the grant
     * @param bytes length of the granted memory
     * @param rights what the holder may do
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

    /** Returns what opens the grant of a token. */
    public static TokenSecret secretOf(RegionToken token) {
        ByteBuffer from = ByteBuffer.wrap(token.encode()).position(SECRET_OFFSET);
        return new TokenSecret(from.getLong(), from.getLong());
    }
}
