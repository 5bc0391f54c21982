package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.Gid;

/**
 * Where datagrams for an engine go.
 *
 * @param gid the peer's GID
 * @param lid the peer's LID; the UDP port of a software RNIC when it is not 4791
 * @param qpn its UD queue pair
 * @param qkey the key a datagram must carry, top bit 0
 */
public record UdEndpoint(Gid gid, int lid, int qpn, int qkey) {

    /** Keeps the key to itself: who knows it can send here. */
    @Override
    public String toString() {
        return "UdEndpoint[gid=" + gid + ", lid=" + lid + ", qpn=" + qpn + "]";
    }
}
