package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.rpc.config.ClientAuth;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Which peers may connect, as server and as client. It guards the control connections, where sessions get their secrets.
 *
 * @param token Secret of at least 16 bytes that both sides must know. It is never sent. When not set, any peer may connect.
 * @param ssl Settings of TLS.
 */
public record RdmaSecurityProperties(
        @Nullable String token, @DefaultValue Ssl ssl) {

    /** Without the token. */
    @Override
    public String toString() {
        return "RdmaSecurityProperties[token=" + (token == null ? "none" : "******") + ", ssl=" + ssl + "]";
    }

    /**
     * TLS of the control connections.
     *
     * @param bundle Name of the SSL bundle with the own key and the trusted certificates. When not set, no TLS.
     * @param clientAuth Whether a server asks clients for a certificate: 'none' does not ask, 'want' accepts clients without one,
     *     'need' rejects them.
     * @param verifyHostname Whether a client rejects servers whose certificate is not for the host that it connects to.
     */
    public record Ssl(
            @Nullable String bundle,
            @DefaultValue("need") ClientAuth clientAuth,
            @DefaultValue("true") boolean verifyHostname) {}
}
