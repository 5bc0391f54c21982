package io.rdmarpc.integration.app;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A port of the loopback interface that nobody listens at. */
public final class FreePort {

    private FreePort() {}

    /** Finds one. */
    public static int find() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
