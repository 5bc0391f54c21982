package io.rdmarpc.benchmarks;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;

/**
 * A port of an open device, and the GID to be reached by.
 *
 * @param context the device; closed with this
 * @param number from 1
 * @param gid own address
 * @param advancesByPolling whether a peer's READs are answered while a thread polls here, as with the software RNIC; a NIC
 *     answers by itself
 */
public record OpenPort(RdmaContext context, int number, GidEntry gid, boolean advancesByPolling)
        implements AutoCloseable {

    /**
     * Returns the address on an InfiniBand subnet, which the software RNIC uses for its UDP port.
     *
     * @return the LID, 0 on Ethernet
     */
    public int lid() {
        return context.queryPort(number).lid();
    }

    /**
     * Returns the largest packet.
     *
     * @return the active MTU
     */
    public PathMtu mtu() {
        return context.queryPort(number).activeMtu();
    }

    /**
     * Describes the way to a peer.
     *
     * @param peer its GID
     * @param lid its LID
     * @param serviceLevel the priority, 0 to 7 on Ethernet
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
