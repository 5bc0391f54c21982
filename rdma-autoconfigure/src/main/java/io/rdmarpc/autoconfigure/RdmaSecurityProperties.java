package io.rdmarpc.autoconfigure;

import jakarta.validation.Valid;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Who may connect, as server and as client. It guards the control connections, where sessions get their secrets.
 *
 * @param token Secret of at least 16 bytes that both sides must know. It is never sent. When not set, anybody may connect.
 * @param ssl Settings of TLS.
 */
public record RdmaSecurityProperties(
        @Nullable String token, @Valid @DefaultValue Ssl ssl) {

    /** Keeps the secret to itself. */
    @Override
    public String toString() {
        return "Security[token=" + (token == null ? "none" : "set") + ", ssl=" + ssl + "]";
    }

    /**
     * TLS of the control connections.
     *
     * @param bundle Name of the SSL bundle with the own key and whom to trust. When not set, no TLS.
     * @param clientCertificates Whether a server takes only clients with a certificate that it trusts.
     * @param verifyHostName Whether a client takes only servers whose certificate is for the host it connects to.
     */
    public record Ssl(
            @Nullable String bundle,
            @DefaultValue("true") boolean clientCertificates,
            @DefaultValue("true") boolean verifyHostName) {}
}
