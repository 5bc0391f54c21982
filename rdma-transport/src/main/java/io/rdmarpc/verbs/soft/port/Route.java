package io.rdmarpc.verbs.soft.port;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PacketLink;

/**
 * From an own address to a peer's.
 *
 * @param source the own address
 * @param destination the peer's
 */
public record Route(LocalGid source, LinkAddress destination) {

    private static final int LARGEST_PORT = 0xFFFF;
    private static final int LARGEST_CLASS = 0xFF;

    /**
     * Resolves a way. The hop limit is not passed on: UDP sockets have their own.
     *
     * @param verb what it is for, named in the failure
     * @param gids own addresses
     * @param link keeps what it resolves until it is released
     * @param flow packets of one flow keep their order; a flow label in the attributes comes first
     * @throws RdmaVerbsException when there is no such own address, or it and the peer's are of different families
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
                "Destination " + attributes.destinationGid() + " and own GID " + source.gid()
                        + " are not both IPv4 or both IPv6. Use a source GID of the destination's family.");
        require(
                attributes.destinationLid() >= 0 && attributes.destinationLid() <= LARGEST_PORT,
                verb,
                "Destination LID " + attributes.destinationLid() + " is not a UDP port. Use 0 for 4791.");
        require(
                attributes.trafficClass() >= 0 && attributes.trafficClass() <= LARGEST_CLASS,
                verb,
                "Traffic class " + attributes.trafficClass() + " is not a byte. Use 0 to 255.");
        return new Route(source, way(link, attributes, flow));
    }

    private static LinkAddress way(PacketLink link, AddressHandleAttributes attributes, int flow) {
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

    /** Tells whether a packet came this way. */
    public boolean isFrom(int index, long sourceHigh, long sourceLow) {
        Gid peer = destination.gid();
        return sourceLow == peer.low() && sourceHigh == peer.high() && index == localIndex();
    }
}
