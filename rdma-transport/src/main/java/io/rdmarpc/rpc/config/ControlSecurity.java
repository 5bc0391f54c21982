package io.rdmarpc.rpc.config;

import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * Authentication and encryption of the control connections: certificates, a shared token, both, or neither. Sessions
 * exchange their secrets on the control connection. Calls travel over RDMA unencrypted.
 *
 * <p>The token is never sent. Both sides prove that they know it by HMAC-SHA-256 over random numbers of both sides.
 * Without TLS the token keeps unauthorized peers out, but an eavesdropper on the control connection can read the
 * secrets of its sessions.
 */
public final class ControlSecurity {

    /** Any peer may connect. */
    public static final ControlSecurity NONE =
            new ControlSecurity(null, TlsVersions.DEFAULT, ClientAuth.NONE, false, null);

    private static final int MIN_TOKEN_BYTES = 16;

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
     * Returns a copy with TLS, for servers and clients.
     *
     * @param context the keys and trusted certificates
     * @param newClientAuth whether a server requests a certificate from clients
     * @param checkHostname whether a client rejects servers whose certificate is not for the host that it connects to
     * @return the changed copy
     */
    public ControlSecurity withTls(SSLContext context, ClientAuth newClientAuth, boolean checkHostname) {
        return withTls(() -> context, newClientAuth, checkHostname);
    }

    /**
     * Returns a copy with TLS, for servers and clients, whose keys may be replaced. Each new connection gets the
     * current keys from the supplier; established connections keep theirs.
     *
     * @param contexts the current keys and trusted certificates; called on any thread, must not block
     * @param newClientAuth whether a server requests a certificate from clients
     * @param checkHostname whether a client rejects servers whose certificate is not for the host that it connects to
     * @return the changed copy
     */
    public ControlSecurity withTls(Supplier<SSLContext> contexts, ClientAuth newClientAuth, boolean checkHostname) {
        return new ControlSecurity(contexts, versions, newClientAuth, checkHostname, token);
    }

    /**
     * Returns a copy that is restricted to some protocols and cipher suites of TLS.
     *
     * @param protocols names such as TLSv1.3, empty for the defaults of the JDK
     * @param ciphers names of cipher suites, empty for the defaults of the JDK
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
     * Returns a copy with a token: each side accepts only peers that know it.
     *
     * @param secret at least 16 bytes of UTF-8, preferably random
     * @return the changed copy
     */
    public ControlSecurity withToken(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < MIN_TOKEN_BYTES) {
            throw new RdmaConfigurationException(
                    "security.token",
                    "(" + bytes.length + " bytes)",
                    "a token of less than " + MIN_TOKEN_BYTES + " bytes can be guessed",
                    "Use a random one, such as the output of: openssl rand -hex 32");
        }
        return new ControlSecurity(ssl, versions, clientAuth, verifyHostname, bytes);
    }

    /**
     * Returns the current TLS keys, for a new connection.
     *
     * @return null without TLS
     */
    public @Nullable SSLContext ssl() {
        return ssl == null ? null : ssl.get();
    }

    /**
     * Applies the protocols and cipher suites to a connection.
     *
     * @param parameters the connection's parameters, which are changed
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
     * Returns whether a server requests a certificate from clients.
     *
     * @return {@link ClientAuth#NONE} without TLS
     */
    public ClientAuth clientAuth() {
        return clientAuth;
    }

    /**
     * Returns whether a client rejects servers whose certificate is not for the host that it connects to.
     *
     * @return false without TLS
     */
    public boolean verifiesHostname() {
        return verifyHostname;
    }

    /**
     * Returns the token.
     *
     * @return a copy, null without a token
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
