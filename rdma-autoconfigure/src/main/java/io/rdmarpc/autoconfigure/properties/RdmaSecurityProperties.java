package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.rpc.config.ClientAuth;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of authentication and encryption, as server and as client. They protect the control connections, which
 * establish the secrets of sessions.
 *
 * @param token Secret of at least 16 bytes that both sides must know. It is never sent. When not set, any peer may
 *     connect.
 * @param ssl Settings of TLS.
 */
public record RdmaSecurityProperties(
        @Nullable String token, @DefaultValue Ssl ssl) {

    /** Hides the token. */
    @Override
    public String toString() {
        return "RdmaSecurityProperties[token=" + (token == null ? "none" : "******") + ", ssl=" + ssl + "]";
    }

    /**
     * TLS of the control connections.
     *
     * @param bundle Name of the SSL bundle with this application's key and the trusted certificates. When not set, no
     *     TLS.
     * @param clientAuth Client certificates that a server requires: 'none' does not request them, 'want' accepts
     *     clients without one, 'need' rejects clients without one.
     * @param verifyHostname Whether a client rejects servers whose certificate does not match the host that it
     *     connects to.
     */
    public record Ssl(
            @Nullable String bundle,
            @DefaultValue("need") ClientAuth clientAuth,
            @DefaultValue("true") boolean verifyHostname) {}
}
