package io.rdmarpc.remote.link;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Finds addresses: the local address toward a peer, and the address in a peer name of the control connection. */
public final class AddressLookup {

    private static final int ANY_PORT = 9;

    private AddressLookup() {}

    /** Looks up the local address in the routing table; sends no packet. Returns null without a route. */
    static @Nullable InetAddress towards(@Nullable InetAddress peer) {
        if (peer == null) {
            return null;
        }
        try (DatagramSocket probe = new DatagramSocket()) {
            probe.connect(peer, ANY_PORT);
            InetAddress own = probe.getLocalAddress();
            return own == null || own.isAnyLocalAddress() ? null : own;
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    /** Extracts the host from {@code name/address:port}. */
    public static String hostOf(String peer) {
        String address = peer.substring(peer.lastIndexOf('/') + 1);
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? address : address.substring(0, colon);
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    /** Parses an address literal; returns null for a host name. */
    static @Nullable InetAddress ofLiteral(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
