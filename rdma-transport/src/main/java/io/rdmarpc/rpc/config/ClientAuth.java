package io.rdmarpc.rpc.config;

/** Whether a server requests a certificate from clients that connect over TLS. */
public enum ClientAuth {
    /** The server does not request a certificate. */
    NONE,
    /**
     * The server requests a certificate and accepts clients without one. It rejects a certificate that it does not
     * trust.
     */
    WANT,
    /** The server rejects clients without a certificate that it trusts. */
    NEED
}
