package io.rdmarpc.autoconfigure.properties;

import io.rdmarpc.rpc.config.ClientAuth;
import org.jspecify.annotations.Nullable;

/** Who may connect, as server and as client. It guards the control connections, where sessions get their secrets. */
public final class RdmaSecurityProperties {

    /** Secret of at least 16 bytes that both sides must know. It is never sent. When not set, anybody may connect. */
    private @Nullable String token;

    /** Settings of TLS. */
    private final Ssl ssl = new Ssl();

    public @Nullable String getToken() {
        return token;
    }

    public void setToken(@Nullable String token) {
        this.token = token;
    }

    public Ssl getSsl() {
        return ssl;
    }

    /** TLS of the control connections. */
    public static final class Ssl {

        /** Name of the SSL bundle with the own key and whom to trust. When not set, no TLS. */
        private @Nullable String bundle;

        /** Whether a server takes only clients with a certificate that it trusts. */
        private ClientAuth clientAuth = ClientAuth.NEED;

        /** Whether a client takes only servers whose certificate is for the host it connects to. */
        private boolean verifyHostname = true;

        public @Nullable String getBundle() {
            return bundle;
        }

        public void setBundle(@Nullable String bundle) {
            this.bundle = bundle;
        }

        public ClientAuth getClientAuth() {
            return clientAuth;
        }

        public void setClientAuth(ClientAuth clientAuth) {
            this.clientAuth = clientAuth;
        }

        public boolean isVerifyHostname() {
            return verifyHostname;
        }

        public void setVerifyHostname(boolean verifyHostname) {
            this.verifyHostname = verifyHostname;
        }
    }
}
