package io.rdmarpc.rpc.control.address;

import io.rdmarpc.transport.UdEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * Decides which verbs providers reach each other. The software RNIC uses RoCE v2 as devices do, on UDP port 4791. If
 * that port is in use, the software RNIC uses another one, which only software RNICs can reach.
 */
public final class ProviderPair {

    private static final String SOFT = "soft";

    private ProviderPair() {}

    /** Returns why client and server cannot reach each other, or null if they can. */
    public static @Nullable String problem(
            String server, String serverDevice, UdEndpoint serverAt, String client, UdEndpoint clientAt) {
        if (server.equals(client)) {
            return null;
        }
        String prefix = "the server runs on " + server + " (" + serverDevice + "), the client on " + client + ": ";
        if (!server.equals(SOFT) && !client.equals(SOFT)) {
            return prefix + "set rdma.provider to the same on both sides";
        }
        String side = server.equals(SOFT) ? "server" : "client";
        UdEndpoint soft = server.equals(SOFT) ? serverAt : clientAt;
        UdEndpoint device = server.equals(SOFT) ? clientAt : serverAt;
        if (soft.lid() != 0) {
            return prefix + "devices reach a software RNIC at UDP port 4791 only, and the " + side + " has port "
                    + soft.lid()
                    + ". Free 4791 there (rdma.soft.addresses selects addresses; a device on the same host uses it"
                    + " for all of them), or set rdma.provider to the same on both sides";
        }
        if (soft.gid().isIpv4Mapped() != device.gid().isIpv4Mapped() || device.lid() != 0) {
            return prefix + "one is at " + serverAt.gid() + ", the other at " + clientAt.gid()
                    + ", which are different networks. Use RoCE v2 addresses of the same kind (rdma.device.gid-index),"
                    + " or set rdma.provider to the same on both sides";
        }
        return null;
    }
}
