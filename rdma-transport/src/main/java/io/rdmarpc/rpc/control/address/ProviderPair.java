package io.rdmarpc.rpc.control.address;

import io.rdmarpc.transport.UdEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * Which verbs providers reach each other. The software RNIC speaks RoCE v2 as devices do, on the UDP port they know, 4791;
 * where that was taken it uses another one, which only software RNICs find.
 */
public final class ProviderPair {

    private static final String SOFT = "soft";

    private ProviderPair() {}

    /** Returns why client and server cannot talk to each other, or null when they can. */
    public static @Nullable String problem(
            String server, String serverDevice, UdEndpoint serverAt, String client, UdEndpoint clientAt) {
        if (server.equals(client)) {
            return null;
        }
        String who = "the server runs on " + server + " (" + serverDevice + "), the client on " + client + ": ";
        if (!server.equals(SOFT) && !client.equals(SOFT)) {
            return who + "set rdma.provider to the same on both sides";
        }
        String side = server.equals(SOFT) ? "server" : "client";
        UdEndpoint soft = server.equals(SOFT) ? serverAt : clientAt;
        UdEndpoint device = server.equals(SOFT) ? clientAt : serverAt;
        if (soft.lid() != 0) {
            return who + "devices reach a software RNIC at UDP port 4791 only, and the " + side + " has port "
                    + soft.lid()
                    + ". Free 4791 there (rdma.soft.addresses chooses addresses, a device on the same host takes it"
                    + " for all of them), or set rdma.provider to the same on both sides";
        }
        if (soft.gid().isIpv4Mapped() != device.gid().isIpv4Mapped() || device.lid() != 0) {
            return who + "one is at " + serverAt.gid() + ", the other at " + clientAt.gid()
                    + ", which is not the same network. Use RoCE v2 addresses of one kind (rdma.device.gid-index), or set"
                    + " rdma.provider to the same on both sides";
        }
        return null;
    }
}
