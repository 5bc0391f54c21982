package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AddressHandleAttributes;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.UdpLink;

/**
 * From an own address to a peer's.
 *
 * @param source the own address
 * @param destination the peer's
 */
record Route(LocalGid source, LinkAddress destination) {

    private static final int LARGEST_PORT = 0xFFFF;

    /**
     * Resolves a way. The hop limit is not passed on: UDP sockets have their own.
     *
     * @param verb what it is for, named in the failure
     * @throws VerbsException when there is no such own address, or the peer's cannot be reached over IPv4
     */
    static Route resolve(String verb, SoftRnic rnic, AddressHandleAttributes attributes) {
        require(
                attributes.portNumber() == SoftContext.PORT_NUMBER,
                verb,
                "Port " + attributes.portNumber() + " does not exist. The only port is 1.");
        require(
                attributes.sourceGidIndex() >= 0
                        && attributes.sourceGidIndex() < rnic.gids().size(),
                verb,
                "Source GID index " + attributes.sourceGidIndex() + " is not in the table of "
                        + rnic.gids().size() + ". Use one of RdmaContext.gidTable(1).");
        require(
                attributes.destinationGid().isIpv4Mapped(),
                verb,
                "Destination " + attributes.destinationGid()
                        + " is not an IPv4-mapped GID, the only kind this software RNIC reaches.");
        require(
                attributes.destinationLid() >= 0 && attributes.destinationLid() <= LARGEST_PORT,
                verb,
                "Destination LID " + attributes.destinationLid() + " is not a UDP port. Use 0 for 4791.");
        if (attributes.trafficClass() != 0) {
            throw new VerbsException(
                    verb,
                    SoftDevice.NAME,
                    Errno.EOPNOTSUPP,
                    "Traffic class " + attributes.trafficClass() + " cannot be sent. Use 0.");
        }
        int port = attributes.destinationLid() == 0 ? UdpLink.ROCE_PORT : attributes.destinationLid();
        return new Route(
                rnic.gids().get(attributes.sourceGidIndex()),
                LinkAddress.of(attributes.destinationGid().ipv4(), port));
    }

    private static void require(boolean holds, String verb, String explanation) {
        if (!holds) {
            throw new VerbsException(verb, SoftDevice.NAME, Errno.EINVAL, explanation);
        }
    }

    int localIndex() {
        return source.entry().index();
    }
}
