package io.rdmarpc.integration.app;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** A port of the loopback interface without a listener. */
public final class FreePort {

    /** Below the ports that Linux gives to sockets that ask for any, such as those of tests that run at the same time. */
    private static final int FIRST = 20_000;

    private static final int END = 32_000;

    private FreePort() {}

    /** Finds one. */
    public static int find() throws IOException {
        for (int attempt = 0; ; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return socket.getLocalPort();
            } catch (IOException e) {
                if (attempt == 100) {
                    throw e;
                }
            }
        }
    }
}
