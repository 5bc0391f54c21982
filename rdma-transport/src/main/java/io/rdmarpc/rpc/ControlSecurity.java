package io.rdmarpc.rpc;

import io.rdmarpc.verbs.RdmaConfigurationException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Who may connect, and whether others can read along on the control channel. Certificates, a token that both sides know,
 * both, or neither. It guards the control channel, where sessions get their secrets; calls travel over RDMA as they are.
 *
 * <p>The token is never sent: both sides prove that they know it by HMAC-SHA-256 over random numbers of both. Without TLS
 * it keeps strangers out, but who can read the control channel can read the secrets of its sessions.
 */
public final class ControlSecurity {

    /** Everybody may connect. */
    public static final ControlSecurity NONE = new ControlSecurity(null, false, false, null);

    private static final int SHORTEST_TOKEN_BYTES = 16;

    private final @Nullable SSLContext ssl;
    private final boolean clientCertificates;
    private final boolean verifyHostName;
    private final byte @Nullable [] token;

    private ControlSecurity(
            @Nullable SSLContext ssl, boolean clientCertificates, boolean verifyHostName, byte @Nullable [] token) {
        this.ssl = ssl;
        this.clientCertificates = clientCertificates;
        this.verifyHostName = verifyHostName;
        this.token = token;
    }

    /**
     * Adds TLS, as server and as client.
     *
     * @param context its keys and whom it trusts
     * @param needClientCertificates whether a server takes only clients with a certificate it trusts
     * @param checkHostName whether a client takes only servers whose certificate is for the host it connects to
     * @return the changed copy
     */
    public ControlSecurity withTls(SSLContext context, boolean needClientCertificates, boolean checkHostName) {
        return new ControlSecurity(context, needClientCertificates, checkHostName, token);
    }

    /**
     * Adds a token: each side takes only those that know it, too.
     *
     * @param secret at least 16 bytes of UTF-8, better random ones
     * @return the changed copy
     */
    public ControlSecurity withToken(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < SHORTEST_TOKEN_BYTES) {
            throw new RdmaConfigurationException(
                    "security.token",
                    "(" + bytes.length + " bytes)",
                    "a token of less than " + SHORTEST_TOKEN_BYTES + " bytes can be guessed",
                    "Use a random one, such as the output of: openssl rand -hex 32");
        }
        return new ControlSecurity(ssl, clientCertificates, verifyHostName, bytes);
    }

    /**
     * Returns the keys for TLS.
     *
     * @return null without TLS
     */
    public @Nullable SSLContext ssl() {
        return ssl;
    }

    /**
     * Tells whether clients need a certificate.
     *
     * @return true when a server insists
     */
    public boolean needsClientCertificates() {
        return clientCertificates;
    }

    /**
     * Tells whether a server's certificate must be for its host.
     *
     * @return true when a client insists
     */
    public boolean checksHostName() {
        return verifyHostName;
    }

    /**
     * Returns the token.
     *
     * @return a copy, null without one
     */
    public byte @Nullable [] token() {
        return token == null ? null : token.clone();
    }

    @Override
    public String toString() {
        return (ssl == null ? "no TLS" : clientCertificates ? "TLS with client certificates" : "TLS")
                + (token == null ? ", no token" : ", token");
    }
}
