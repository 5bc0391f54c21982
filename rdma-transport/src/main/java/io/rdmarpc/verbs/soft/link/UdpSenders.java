package io.rdmarpc.verbs.soft.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sockets that only send, each with a separate port. Routers that select among paths of equal cost by the ports can
 * then spread connections. For that, RoCE v2 lets the sender choose the source port (annex A17.3.2.2). There is one for
 * each local address, traffic class and share of the flows, opened when the first is resolved. Flow 0 without a class
 * is sent from the receiving socket.
 *
 * <p>Peers that support it have separate connected sockets, one for each class and share, up to a maximum number of
 * sockets. The kernel then does not look up the route of each packet, which saves an eighth of the time of a send.
 */
final class UdpSenders {

    /** Source ports per local address and class. */
    private static final int WAYS = 4;

    /** Maximum number of connected sockets; each uses a descriptor as long as a route uses it. */
    private static final int MAX_CONNECTED = 64;

    private final UdpSockets kind;
    private final List<InetAddress> addresses;
    private final List<Sender> senders = new ArrayList<>();
    /** Released sockets that may still have buffered packets. */
    private final List<UdpSocket> leaving = new ArrayList<>();

    private int connected;

    /** The use of a socket. Without a peer it serves all peers and is never closed. */
    private record Key(
            int localIndex,
            int trafficClass,
            int way,
            @Nullable InetSocketAddress peer) {

        // Written out, because the record's own methods link method handles at their first call, which delays an
        // application's first call.
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that
                    && localIndex == that.localIndex
                    && trafficClass == that.trafficClass
                    && way == that.way
                    && Objects.equals(peer, that.peer);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * (31 * localIndex + trafficClass) + way) + Objects.hashCode(peer);
        }
    }

    private static final class Sender {

        private final Key key;
        private final UdpSocket socket;
        private int users;

        private Sender(Key key, UdpSocket socket) {
            this.key = key;
            this.socket = socket;
        }
    }

    UdpSenders(UdpSockets kind, List<InetAddress> addresses) {
        this.kind = kind;
        this.addresses = addresses;
    }

    /**
     * Finds or opens the socket for a flow; null for the receiving socket, which also serves if no other can be opened.
     */
    @Nullable
    UdpSocket find(int localIndex, int trafficClass, int flow, InetSocketAddress peer) {
        int way = Math.floorMod(flow, WAYS);
        UdpSocket own = LinkAddress.acceptsAnyIdentification(peer.getPort())
                ? find(new Key(localIndex, trafficClass, way, peer))
                : null;
        return own != null || (way == 0 && trafficClass == 0)
                ? own
                : find(new Key(localIndex, trafficClass, way, null));
    }

    private @Nullable UdpSocket find(Key key) {
        for (Sender sender : senders) {
            if (sender.key.equals(key)) {
                sender.users++;
                return sender.socket;
            }
        }
        return key.peer == null || connected < MAX_CONNECTED ? open(key) : null;
    }

    private @Nullable UdpSocket open(Key key) {
        try {
            UdpSocket socket = key.peer == null
                    ? kind.bind(addresses.get(key.localIndex), 0, key.trafficClass)
                    : kind.connect(addresses.get(key.localIndex), key.trafficClass, key.peer);
            if (socket != null) {
                Sender sender = new Sender(key, socket);
                sender.users = 1;
                senders.add(sender);
                connected += key.peer == null ? 0 : 1;
            }
            return socket;
        } catch (IOException e) {
            if (key.peer == null && key.trafficClass != 0) {
                kind.countLostClass();
                TrafficClassNotice.check(addresses.get(key.localIndex), key.trafficClass, e);
            }
            return null;
        }
    }

    /** Releases a use of a socket. The last one closes the socket if it is connected. */
    @SuppressWarnings("ReferenceEquality") // compares identities on purpose
    void release(UdpSocket socket) {
        for (int i = 0; i < senders.size(); i++) {
            Sender sender = senders.get(i);
            if (sender.socket == socket && --sender.users == 0 && sender.key.peer != null) {
                senders.remove(i);
                connected--;
                leaving.add(socket);
                break;
            }
        }
        if (!leaving.isEmpty() && kind.flush()) {
            leaving.forEach(UdpSocket::close);
            leaving.clear();
        }
    }

    void close() {
        senders.forEach(sender -> sender.socket.close());
        leaving.forEach(UdpSocket::close);
    }
}
