package io.rdmarpc.verbs.attributes;

import io.rdmarpc.verbs.error.RdmaVerbsException;

/**
 * The route to a peer ({@code struct ibv_ah_attr} with {@code struct ibv_global_route}).
 *
 * @param destinationGid the peer's GID
 * @param destinationLid the peer's LID; for a software RNIC its UDP port, or 0 for port 4791
 * @param sourceGidIndex index of the local GID that packets have as their source
 * @param hopLimit maximum number of routers on the path of a packet
 * @param trafficClass the IP traffic class (DSCP and ECN)
 * @param serviceLevel the service level, 0 to 15; 0 to 7 for RoCE
 * @param portNumber the local port, from 1
 * @param flowLabel the IPv6 flow label, 20 bits; RoCE NICs may derive their UDP source port from it
 * @param sourcePathBits selects the source among the port's LIDs, 0 to 127; 0 for RoCE
 * @param staticRate maximum rate of packets, an {@code IBV_RATE_*} value; 0 for the port's rate
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

    /** The default hop limit. */
    public static final int DEFAULT_HOP_LIMIT = 64;

    /**
     * Describes the route to a peer without a flow label, at the port's rate.
     *
     * @param destinationGid the peer's GID
     * @param destinationLid the peer's LID
     * @param sourceGidIndex index of the local GID
     * @param hopLimit maximum number of routers on the path of a packet
     * @param trafficClass the IP traffic class
     * @param serviceLevel the service level
     * @param portNumber the local port, from 1
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
     * Describes the route to a peer with defaults.
     *
     * @param destinationGid the peer's GID
     * @param destinationLid the peer's LID, 0 for RoCE NICs
     * @param sourceGidIndex index of the local GID
     * @param portNumber the local port, from 1
     * @return the attributes
     */
    public static AddressHandleAttributes to(
            Gid destinationGid, int destinationLid, int sourceGidIndex, int portNumber) {
        return new AddressHandleAttributes(
                destinationGid, destinationLid, sourceGidIndex, DEFAULT_HOP_LIMIT, 0, 0, portNumber);
    }

    /**
     * Rejects values that the fields of the C struct would silently truncate.
     *
     * @param verb the verb that uses the attributes, for the message
     * @param device the device's name, for the message
     * @throws RdmaVerbsException for the first value that is out of range, with its range
     */
    public void requireEncodable(String verb, String device) {
        AttributeRanges.check(this, verb, device);
    }
}
