package io.rdmarpc.verbs.soft.port;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PacketLink;

/**
 * The route from a local address to a peer's address.
 *
 * @param source the local address
 * @param destination the peer's address
 */
public record Route(LocalGid source, LinkAddress destination) {

    private static final int LARGEST_PORT = 0xFFFF;
    private static final int LARGEST_CLASS = 0xFF;

    /**
     * Resolves a route. The hop limit is ignored: UDP sockets set their own.
     *
     * @param verb the verb that needs it, for the error message
     * @param gids the local addresses
     * @param link the link, which keeps the address until it is released
     * @param flow flow label if the attributes have none; packets of one flow keep their order
     * @throws RdmaVerbsException if there is no such local address, or the address families differ
     */
    public static Route resolve(
            String verb, LocalGidTable gids, PacketLink link, AddressHandleAttributes attributes, int flow) {
        require(
                attributes.portNumber() == DeviceConstants.PORT_NUMBER,
                verb,
                "Port " + attributes.portNumber() + " does not exist. The only port is 1.");
        require(
                attributes.sourceGidIndex() >= 0 && attributes.sourceGidIndex() < gids.size(),
                verb,
                "Source GID index " + attributes.sourceGidIndex() + " is not in the table of " + gids.size()
                        + ". Use one of RdmaContext.gidTable(1).");
        LocalGid source = gids.get(attributes.sourceGidIndex());
        require(
                attributes.destinationGid().isIpv4Mapped() == source.isIpv4(),
                verb,
                "Destination " + attributes.destinationGid() + " and local GID " + source.gid()
                        + " are not both IPv4 or both IPv6. Use a source GID of the destination's family.");
        require(
                attributes.destinationLid() >= 0 && attributes.destinationLid() <= LARGEST_PORT,
                verb,
                "Destination LID " + attributes.destinationLid() + " is not a UDP port. Use 0 for 4791.");
        require(
                attributes.trafficClass() >= 0 && attributes.trafficClass() <= LARGEST_CLASS,
                verb,
                "Traffic class " + attributes.trafficClass() + " is not a byte. Use 0 to 255.");
        return new Route(source, linkAddress(link, attributes, flow));
    }

    private static LinkAddress linkAddress(PacketLink link, AddressHandleAttributes attributes, int flow) {
        return link.resolve(
                attributes.sourceGidIndex(),
                attributes.destinationGid(),
                attributes.destinationLid() == 0 ? LinkAddress.ROCE_PORT : attributes.destinationLid(),
                attributes.trafficClass(),
                attributes.flowLabel() != 0 ? attributes.flowLabel() : flow);
    }

    private static void require(boolean holds, String verb, String explanation) {
        if (!holds) {
            throw new RdmaVerbsException(verb, DeviceConstants.NAME, Errno.EINVAL, explanation);
        }
    }

    public int localIndex() {
        return source.entry().index();
    }

    /** Returns whether a packet came from this peer to this local address. */
    public boolean isFrom(int index, long sourceHigh, long sourceLow) {
        Gid peer = destination.gid();
        return sourceLow == peer.low() && sourceHigh == peer.high() && index == localIndex();
    }
}
