package io.rdmarpc.cli;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Checks whether the UDP port of RoCE v2 is free for the software RNIC. */
final class SoftPortCheck {

    static final int ROCE_PORT = 4791;

    private final HostFiles host;
    private final int port;

    SoftPortCheck(HostFiles host, int port) {
        this.host = host;
        this.port = port;
    }

    Finding run() {
        String subject = "UDP port";
        try (DatagramSocket socket = new DatagramSocket(null)) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port));
            return Finding.ok(subject, "UDP port " + port + " is free for the software RNIC");
        } catch (IOException e) {
            String owner = host.exists("sys/module/rdma_rxe") ? " (by the kernel's rdma_rxe)" : "";
            return Finding.warn(
                    subject,
                    "UDP port " + port + " is in use" + owner + ": the software RNIC will use another port, which"
                            + " firewalls must allow",
                    "stop the program that uses the port, or set rdma.soft.port to a port that firewalls allow");
        }
    }
}
