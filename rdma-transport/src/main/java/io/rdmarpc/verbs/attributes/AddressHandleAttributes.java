package io.rdmarpc.verbs.attributes;

import io.rdmarpc.verbs.error.RdmaVerbsException;

/**
 * The way to a peer ({@code struct ibv_ah_attr} with {@code struct ibv_global_route}).
 *
 * @param destinationGid the peer's GID
 * @param destinationLid the peer's LID; for a software RNIC its UDP port when that is not 4791, else 0
 * @param sourceGidIndex which own GID packets carry as their source
 * @param hopLimit how many routers a packet may pass
 * @param trafficClass the IP traffic class (DSCP and ECN)
 * @param serviceLevel the service level, 0 to 15; 0 to 7 for RoCE
 * @param portNumber the own port, from 1
 * @param flowLabel the IPv6 flow label, 20 bits; RoCE NICs may choose their UDP source port by it
 * @param sourcePathBits which of the port's LIDs is the source, 0 to 127; 0 for RoCE
 * @param staticRate the rate that packets must not exceed, an {@code IBV_RATE_*} value; 0 for the port's
 */
public record AddressHandleAttributes(
        Gid destinationGid,
        int destinationLid,
        int sourceGidIndex,
        int hopLimit,
        int trafficClass,
        int serviceLevel,
        int portNumber,
        int flowLabel,
        int sourcePathBits,
        int staticRate) {

    /** The hop limit when nothing else is asked for: as far as the network goes. */
    public static final int DEFAULT_HOP_LIMIT = 64;

    /**
     * Describes the way to a peer without a flow label, at the port's rate.
     *
     * @param destinationGid the peer's GID
     * @param destinationLid the peer's LID
     * @param sourceGidIndex which own GID to use
     * @param hopLimit how many routers a packet may pass
     * @param trafficClass the IP traffic class
     * @param serviceLevel the service level
     * @param portNumber the own port, from 1
     */
    public AddressHandleAttributes(
            Gid destinationGid,
            int destinationLid,
            int sourceGidIndex,
            int hopLimit,
            int trafficClass,
            int serviceLevel,
            int portNumber) {
        this(destinationGid, destinationLid, sourceGidIndex, hopLimit, trafficClass, serviceLevel, portNumber, 0, 0, 0);
    }

    /**
     * Describes the way to a peer with defaults.
     *
     * @param destinationGid the peer's GID
     * @param destinationLid the peer's LID, 0 for RoCE NICs
     * @param sourceGidIndex which own GID to use
     * @param portNumber the own port, from 1
     * @return the attributes
     */
    public static AddressHandleAttributes to(
            Gid destinationGid, int destinationLid, int sourceGidIndex, int portNumber) {
        return new AddressHandleAttributes(
                destinationGid, destinationLid, sourceGidIndex, DEFAULT_HOP_LIMIT, 0, 0, portNumber);
    }

    /**
     * Refuses values that the fields of the C struct cannot hold, which would be cut off silently.
     *
     * @param verb what they are for, named in the failure
     * @param device the device's name, for the message
     * @throws RdmaVerbsException for the first one, with its range
     */
    public void requireEncodable(String verb, String device) {
        AttributeRanges.check(this, verb, device);
    }
}
