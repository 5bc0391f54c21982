package io.rdmarpc.remote.link;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** Finds addresses: the own one on the way to a peer, and the one in a name that the control channel gives. */
public final class AddressLookup {

    private static final int ANY_PORT = 9;

    private AddressLookup() {}

    /** Asks the routing table; nothing is sent. Null when there is no way. */
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

    /** Takes the host out of {@code name/address:port}. */
    public static String hostOf(String peer) {
        String address = peer.substring(peer.lastIndexOf('/') + 1);
        int colon = address.lastIndexOf(':');
        String host = colon < 0 ? address : address.substring(0, colon);
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }

    /** Reads an address; null when it is a name. */
    static @Nullable InetAddress ofLiteral(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
