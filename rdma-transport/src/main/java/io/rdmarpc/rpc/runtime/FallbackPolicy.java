package io.rdmarpc.rpc.runtime;

/** What a client does when its NIC does not reach a server. */
public enum FallbackPolicy {
    /** It says so. */
    NONE,
    /** It takes the software RNIC, where the server offers one. */
    SOFT
}
