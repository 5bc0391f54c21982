package io.rdmarpc.cli;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Whether the UDP port of RoCE v2 is free for the software RNIC. */
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
                    "UDP port " + port + " is taken" + owner + ": the software RNIC uses another one, and firewalls"
                            + " have to let it through",
                    "stop what has the port, or set rdma.soft.port to the one that is open");
        }
    }
}
