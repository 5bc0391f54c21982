package io.rdmarpc.docs.testing;

/** Whatever has started the process, and knows where its port is. */
interface OrdersContainer {

    String host();

    int mappedPort(int port);
}
