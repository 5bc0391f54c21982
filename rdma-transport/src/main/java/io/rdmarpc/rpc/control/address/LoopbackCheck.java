package io.rdmarpc.rpc.control.address;

import io.rdmarpc.verbs.attributes.Gid;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Detects a loopback address of one of two hosts: a software RNIC that is configured for 127.0.0.1, as on a laptop.
 * Control messages arrive there over another address; packets never would.
 */
public final class LoopbackCheck {

    private final Predicate<InetAddress> isOwn;

    public LoopbackCheck() {
        this(LoopbackCheck::isOfThisHost);
    }

    LoopbackCheck(Predicate<InetAddress> isOwn) {
        this.isOwn = isOwn;
    }

    /**
     * Returns why packets cannot arrive, or null if they can.
     *
     * @param own the GID at which this server receives packets
     * @param client the GID at which the client receives packets
     * @param peer the address of the client's end of the control connection
     */
    public @Nullable String problem(Gid own, Gid client, InetAddress peer) {
        boolean serverIsLoopback = own.toInetAddress().isLoopbackAddress();
        boolean clientIsLoopback = client.toInetAddress().isLoopbackAddress();
        if (!(serverIsLoopback || clientIsLoopback) || isOwn.test(peer)) {
            return null;
        }
        String receiver =
                serverIsLoopback ? "the server receives packets at " + own : "the client receives packets at " + client;
        return receiver + ", which is reachable only from its own host, and the client is at " + peer.getHostAddress()
                + ", another host: set rdma.soft.addresses " + (serverIsLoopback ? "at the server" : "at the client")
                + " to an address that the other side reaches, or leave it out";
    }

    private static boolean isOfThisHost(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true; // It is unknown whether packets arrive. If they do not, the session times out.
        }
    }
}
