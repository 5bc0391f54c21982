package io.rdmarpc.rpc.runtime;

/** Selects how a client handles a server that its NIC does not reach. */
public enum FallbackPolicy {
    /** Reports an error. */
    NONE,
    /** Uses the software RNIC, if the server offers one. */
    SOFT
}
