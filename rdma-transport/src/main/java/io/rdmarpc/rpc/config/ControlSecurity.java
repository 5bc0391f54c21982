package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
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
    public static final ControlSecurity NONE =
            new ControlSecurity(null, TlsVersions.DEFAULT, ClientAuth.NONE, false, null);

    private static final int SHORTEST_TOKEN_BYTES = 16;

    private final @Nullable Supplier<SSLContext> ssl;
    private final TlsVersions versions;
    private final ClientAuth clientAuth;
    private final boolean verifyHostname;
    private final byte @Nullable [] token;

    private ControlSecurity(
            @Nullable Supplier<SSLContext> ssl,
            TlsVersions versions,
            ClientAuth clientAuth,
            boolean verifyHostname,
            byte @Nullable [] token) {
        this.ssl = ssl;
        this.versions = versions;
        this.clientAuth = clientAuth;
        this.verifyHostname = verifyHostname;
        this.token = token;
    }

    /**
     * Adds TLS, as server and as client.
     *
     * @param context its keys and whom it trusts
     * @param newClientAuth whether a server asks clients for a certificate
     * @param checkHostname whether a client rejects servers whose certificate is not for the host that it connects to
     * @return the changed copy
     */
    public ControlSecurity withTls(SSLContext context, ClientAuth newClientAuth, boolean checkHostname) {
        return withTls(() -> context, newClientAuth, checkHostname);
    }

    /**
     * Adds TLS, as server and as client, with keys that may be replaced: each new connection asks for them, those that
     * live stay as they are.
     *
     * @param contexts the keys and whom to trust, as they are now; any thread, must not block
     * @param newClientAuth whether a server asks clients for a certificate
     * @param checkHostname whether a client rejects servers whose certificate is not for the host that it connects to
     * @return the changed copy
     */
    public ControlSecurity withTls(Supplier<SSLContext> contexts, ClientAuth newClientAuth, boolean checkHostname) {
        return new ControlSecurity(contexts, versions, newClientAuth, checkHostname, token);
    }

    /**
     * Restricts what TLS may use.
     *
     * @param protocols names such as TLSv1.3, none for those of the JDK
     * @param ciphers names of cipher suites, none for those of the JDK
     * @return the changed copy
     */
    public ControlSecurity withTlsVersions(List<String> protocols, List<String> ciphers) {
        return new ControlSecurity(ssl, new TlsVersions(protocols, ciphers), clientAuth, verifyHostname, token);
    }

    private record TlsVersions(List<String> protocols, List<String> ciphers) {

        static final TlsVersions DEFAULT = new TlsVersions(List.of(), List.of());

        TlsVersions {
            protocols = List.copyOf(protocols);
            ciphers = List.copyOf(ciphers);
        }
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
        return new ControlSecurity(ssl, versions, clientAuth, verifyHostname, bytes);
    }

    /**
     * Returns the keys for TLS, for a new connection.
     *
     * @return null without TLS
     */
    public @Nullable SSLContext ssl() {
        return ssl == null ? null : ssl.get();
    }

    /**
     * Applies the restrictions of TLS.
     *
     * @param parameters of a connection, to be changed
     */
    public void restrict(SSLParameters parameters) {
        if (!versions.protocols().isEmpty()) {
            parameters.setProtocols(versions.protocols().toArray(String[]::new));
        }
        if (!versions.ciphers().isEmpty()) {
            parameters.setCipherSuites(versions.ciphers().toArray(String[]::new));
        }
    }

    /**
     * Returns whether a server asks clients for a certificate.
     *
     * @return {@link ClientAuth#NONE} without TLS
     */
    public ClientAuth clientAuth() {
        return clientAuth;
    }

    /**
     * Returns whether a client rejects servers whose certificate is not for their host.
     *
     * @return false without TLS
     */
    public boolean verifiesHostname() {
        return verifyHostname;
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
        return (ssl == null ? "no TLS" : clientAuth == ClientAuth.NEED ? "TLS with client certificates" : "TLS")
                + (token == null ? ", no token" : ", token");
    }
}
