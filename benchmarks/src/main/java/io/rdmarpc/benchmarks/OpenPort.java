package io.rdmarpc.benchmarks;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;

/**
 * A port of an open device, with the GID by which peers reach it.
 *
 * @param context the device, which {@link #close} closes
 * @param number port number, from 1
 * @param gid own GID
 * @param advancesByPolling whether this end must poll so that its device serves a peer's READs. True for the software
 *     RNIC without a progress thread; a NIC serves them itself.
 */
public record OpenPort(RdmaContext context, int number, GidEntry gid, boolean advancesByPolling)
        implements AutoCloseable {

    /**
     * Returns the LID, which is the port's address on an InfiniBand subnet. The software RNIC uses it for its UDP port.
     *
     * @return the LID, 0 on Ethernet
     */
    public int lid() {
        return context.queryPort(number).lid();
    }

    /**
     * Returns the active MTU, which is the largest packet.
     *
     * @return the active MTU
     */
    public PathMtu mtu() {
        return context.queryPort(number).activeMtu();
    }

    /**
     * Returns the address vector of a peer.
     *
     * @param peer GID of the peer
     * @param lid LID of the peer
     * @param serviceLevel service level, on Ethernet the priority 0 to 7
     * @return the address vector
     */
    public AddressHandleAttributes to(Gid peer, int lid, int serviceLevel) {
        return new AddressHandleAttributes(
                peer, lid, gid.index(), AddressHandleAttributes.DEFAULT_HOP_LIMIT, 0, serviceLevel, number);
    }

    @Override
    public void close() {
        context.close();
    }
}
