package io.rdmarpc.service.client;

/** Marks proxies of remote services, so that they are never exported as implementations. */
public interface RdmaProxy {

    /** Prefix of the names of client beans, and of beans that replace a proxy, such as a mock. */
    String BEAN_NAME_PREFIX = "rdmaClient#";
}
