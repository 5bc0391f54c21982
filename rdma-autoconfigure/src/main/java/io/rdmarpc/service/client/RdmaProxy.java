package io.rdmarpc.service.client;

/** Marks the proxies that call a remote service, so that they are never offered as implementations of it. */
public interface RdmaProxy {

    /** How the names of client beans begin, also of those that replace a proxy, such as a mock. */
    String BEAN_NAME_PREFIX = "rdmaClient#";
}
