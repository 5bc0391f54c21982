package io.rdmarpc.verbs;

/**
 * The way to a peer ({@code struct ibv_ah_attr} with {@code struct ibv_global_route}).
 *
 * @param destinationGid the peer's GID
 * @param destinationLid the peer's LID; for a software RNIC its UDP port when that is not 4791, else 0
 * @param sourceGidIndex which own GID packets carry as their source
 * @param hopLimit how many routers a packet may pass
 * @param trafficClass the IP traffic class (DSCP and ECN)
 * @param serviceLevel the service level, 0 to 7
 * @param portNumber the own port, from 1
 */
public record AddressHandleAttributes(
        Gid destinationGid,
        int destinationLid,
        int sourceGidIndex,
        int hopLimit,
        int trafficClass,
        int serviceLevel,
        int portNumber) {

    /** The hop limit when nothing else is asked for: as far as the network goes. */
    public static final int DEFAULT_HOP_LIMIT = 64;

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
}
