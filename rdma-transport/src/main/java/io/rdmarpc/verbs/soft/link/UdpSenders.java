package io.rdmarpc.verbs.soft.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sockets that only send, each with a port of its own: routers that choose among ways of equal cost by the ports can then
 * spread connections (RoCE v2 annex A17.3.2.2 leaves the source port to the sender for that). One per own address, traffic
 * class and share of the flows, made when the first is resolved. Flow 0 without a class goes out from where packets arrive.
 *
 * <p>Peers with which this is possible have sockets of their own, one for each class and share, which are connected, as long as
 * there are not too many: the kernel then does not look for the way of each packet, an eighth of what it takes to send one.
 */
final class UdpSenders {

    /** Source ports per own address and class. */
    private static final int WAYS = 4;

    /** Each takes a descriptor while anything has a way there. */
    private static final int MOST_CONNECTED = 64;

    private final UdpSockets kind;
    private final List<InetAddress> addresses;
    private final List<Sender> senders = new ArrayList<>();
    /** Those of peers that nobody sends to any more, for packets that are gathered and have not left. */
    private final List<UdpSocket> leaving = new ArrayList<>();

    private int connected;

    /** What a socket is for; without a peer for all, and for good. */
    private record Key(
            int localIndex,
            int trafficClass,
            int way,
            @Nullable InetSocketAddress peer) {}

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

    /** Finds or makes the socket for a flow; null for the one that receives, which does where there can be no other. */
    @Nullable
    UdpSocket find(int localIndex, int trafficClass, int flow, InetSocketAddress peer) {
        int way = Math.floorMod(flow, WAYS);
        UdpSocket own = LinkAddress.takesAnyIdentification(peer.getPort())
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
        return key.peer == null || connected < MOST_CONNECTED ? open(key) : null;
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

    /** One who has found a socket does not use it any more. The last one closes it, when it is connected. */
    @SuppressWarnings("ReferenceEquality") // that very socket
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
