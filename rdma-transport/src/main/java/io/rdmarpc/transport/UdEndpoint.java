package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.Gid;

/**
 * The destination of datagrams for an engine.
 *
 * @param gid the engine's GID
 * @param lid the engine's LID; the UDP port of a software RNIC if that is not 4791
 * @param qpn number of the engine's UD queue pair
 * @param qkey the key that a datagram must carry, top bit 0
 */
public record UdEndpoint(Gid gid, int lid, int qpn, int qkey) {

    /** Omits the key, because a process that knows it can send datagrams to this engine. */
    @Override
    public String toString() {
        return "UdEndpoint[gid=" + gid + ", lid=" + lid + ", qpn=" + qpn + "]";
    }
}
