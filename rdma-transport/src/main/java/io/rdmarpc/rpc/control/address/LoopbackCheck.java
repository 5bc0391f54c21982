package io.rdmarpc.rpc.control.address;

import io.rdmarpc.verbs.attributes.Gid;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Two hosts, one of which has told an address that only itself can reach: a software RNIC that was set to 127.0.0.1, as on a
 * laptop. Control messages arrive there, packets never would.
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
     * Returns why packets cannot arrive, or null when they can.
     *
     * @param own where this server takes packets
     * @param client where the client does
     * @param peer where the client's control connection comes from
     */
    public @Nullable String problem(Gid own, Gid client, InetAddress peer) {
        boolean serverIsHidden = own.toInetAddress().isLoopbackAddress();
        boolean clientIsHidden = client.toInetAddress().isLoopbackAddress();
        if (!(serverIsHidden || clientIsHidden) || isOwn.test(peer)) {
            return null;
        }
        String hidden = serverIsHidden ? "the server takes packets at " + own : "the client takes packets at " + client;
        return hidden + ", which only its own host reaches, and the client is at " + peer.getHostAddress()
                + ", another host: set rdma.soft.addresses " + (serverIsHidden ? "at the server" : "at the client")
                + " to an address that the other side reaches, or do not set it";
    }

    private static boolean isOfThisHost(InetAddress address) {
        try {
            return address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return true; // Not known: packets will tell.
        }
    }
}
