package io.rdmarpc.docs.testing;

/** Starts the server process and knows its port. */
interface OrdersContainer {

    String host();

    int mappedPort(int port);
}
