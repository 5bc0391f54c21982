package io.rdmarpc.rpc.config;

/** Whether a server asks clients for a certificate when they connect over TLS. */
public enum ClientAuth {
    /** The server does not ask for one. */
    NONE,
    /** The server asks for one and accepts clients without one. It rejects a certificate that it does not trust. */
    WANT,
    /** The server rejects clients without a certificate that it trusts. */
    NEED
}
