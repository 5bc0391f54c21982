package io.rdmarpc.rpc.runtime;

/** What a client does if its NIC does not reach a server. */
public enum FallbackPolicy {
    /** Reports an error. */
    NONE,
    /** Uses the software RNIC, if the server offers one. */
    SOFT
}
