package io.rdmarpc.rpc.control.auth;

import io.rdmarpc.rpc.wire.ControlMessage;
import io.rdmarpc.rpc.wire.Id128;
import io.rdmarpc.rpc.wire.Mac;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proofs of knowledge of the shared token: HMAC-SHA-256 with the token over all random numbers of the handshake. A
 * proof of one side is invalid for the other side, and in any other handshake.
 *
 * <pre>
 *   role, ASCII | client's process 16 B | client's nonce 32 B | server's process 16 B | server's nonce 32 B
 * </pre>
 */
public final class TokenProof {

    private static final String ALGORITHM = "HmacSHA256";
    private static final byte[] CLIENT = "rdma-rpc client".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SERVER = "rdma-rpc server".getBytes(StandardCharsets.US_ASCII);
    private static final int RANDOM_BYTES = 2 * (16 + 32);

    private TokenProof() {}

    public static Mac ofClient(byte[] token, ControlMessage.Hello hello, ControlMessage.Welcome welcome) {
        return compute(token, CLIENT, hello, welcome);
    }

    public static Mac ofServer(byte[] token, ControlMessage.Hello hello, ControlMessage.Welcome welcome) {
        return compute(token, SERVER, hello, welcome);
    }

    private static Mac compute(byte[] token, byte[] role, ControlMessage.Hello hello, ControlMessage.Welcome welcome) {
        ByteBuffer input = ByteBuffer.allocate(role.length + RANDOM_BYTES).put(role);
        put(input, hello.process()).put(hello.nonce().bytes());
        put(input, welcome.process()).put(welcome.nonce().bytes());
        try {
            javax.crypto.Mac mac = javax.crypto.Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(token, ALGORITHM));
            return new Mac(mac.doFinal(input.array()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK lacks " + ALGORITHM + ", which every JDK must have", e);
        }
    }

    private static ByteBuffer put(ByteBuffer to, Id128 id) {
        return to.putLong(id.high()).putLong(id.low());
    }
}
