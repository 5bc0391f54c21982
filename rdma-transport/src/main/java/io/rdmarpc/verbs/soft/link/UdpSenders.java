package io.rdmarpc.verbs.soft.link;

import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * Sockets that only send, each with a port of its own: routers that choose among ways of equal cost by the ports can then
 * spread connections (RoCE v2 annex A17.3.2.2 leaves the source port to the sender for that). One per own address, traffic
 * class and share of the flows, made when the first is resolved. Flow 0 without a class goes out from where packets arrive.
 */
final class UdpSenders {

    /** Source ports per own address and class. */
    private static final int WAYS = 4;

    private final UdpSockets kind;
    private final List<InetAddress> addresses;
    private final List<Key> keys = new ArrayList<>();
    private UdpSocket[] sockets = new UdpSocket[0];

    /** What a socket is for. */
    private record Key(int localIndex, int trafficClass, int way) {}

    UdpSenders(UdpSockets kind, List<InetAddress> addresses) {
        this.kind = kind;
        this.addresses = addresses;
    }

    /** Finds or makes the socket for a flow; the one that receives does where there can be no other. */
    int find(int localIndex, int trafficClass, int flow) {
        Key key = new Key(localIndex, trafficClass, Math.floorMod(flow, WAYS));
        if (key.way == 0 && trafficClass == 0) {
            return LinkAddress.LISTENER;
        }
        int index = keys.indexOf(key);
        return index >= 0 ? index : open(key);
    }

    private int open(Key key) {
        try {
            UdpSocket socket = kind.bind(addresses.get(key.localIndex), 0, key.trafficClass);
            List<UdpSocket> all = new ArrayList<>(List.of(sockets));
            all.add(socket);
            keys.add(key);
            sockets = all.toArray(UdpSocket[]::new);
            return keys.size() - 1;
        } catch (IOException e) {
            if (key.trafficClass != 0) {
                kind.countLostClass();
                TrafficClassNotice.check(addresses.get(key.localIndex), key.trafficClass, e);
            }
            return LinkAddress.LISTENER;
        }
    }

    UdpSocket get(int index) {
        return sockets[index];
    }

    void close() {
        for (UdpSocket socket : sockets) {
            socket.close();
        }
    }
}
