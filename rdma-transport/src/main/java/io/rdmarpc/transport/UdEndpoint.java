package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.Gid;
import org.jspecify.annotations.Nullable;

/**
 * The destination of datagrams for an engine.
 *
 * @param gid the engine's GID
 * @param lid the engine's LID; the UDP port of a software RNIC if that is not 4791
 * @param qpn number of the engine's UD queue pair
 * @param qkey the key that a datagram must carry, top bit 0
 */
public record UdEndpoint(Gid gid, int lid, int qpn, int qkey) {

    // Written out, because the record's own methods link method handles at their first call, which delays an
    // application's first call.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof UdEndpoint that
                && gid.equals(that.gid)
                && lid == that.lid
                && qpn == that.qpn
                && qkey == that.qkey;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * (31 * gid.hashCode() + lid) + qpn) + qkey;
    }

    /** Omits the key, because a process that knows it can send datagrams to this engine. */
    @Override
    public String toString() {
        return "UdEndpoint[gid=" + gid + ", lid=" + lid + ", qpn=" + qpn + "]";
    }
}
