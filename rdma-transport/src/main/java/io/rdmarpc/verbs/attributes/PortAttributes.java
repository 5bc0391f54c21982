package io.rdmarpc.verbs.attributes;

import java.util.Set;

/**
 * The attributes of a port ({@code struct ibv_port_attr}).
 *
 * @param state whether the port carries traffic
 * @param maxMtu maximum path MTU of the hardware
 * @param activeMtu path MTU in use
 * @param gidTableLength number of GID table entries, used or not
 * @param pkeyTableLength number of partition key table entries
 * @param maxMessageBytes maximum message size of a connected queue pair
 * @param lid local identifier; 0 for RoCE. The software RNIC reports its UDP port here, or 0 for port 4791
 * @param linkLayer the link layer
 * @param capabilityFlags the {@code IBV_PORT_*} bits; see {@link #capabilities()}
 * @param capabilityFlags2 the second set of bits
 * @param link the physical link
 * @param subnet the settings of InfiniBand's subnet manager; zeros for RoCE
 * @param counters rejected packets
 */
public record PortAttributes(
        PortState state,
        PathMtu maxMtu,
        PathMtu activeMtu,
        int gidTableLength,
        int pkeyTableLength,
        long maxMessageBytes,
        int lid,
        LinkLayer linkLayer,
        int capabilityFlags,
        int capabilityFlags2,
        PortLink link,
        Subnet subnet,
        Counters counters) {

    /**
     * The settings of InfiniBand's subnet manager.
     *
     * @param smLid the subnet manager's LID
     * @param smSl the service level for packets to the subnet manager
     * @param lmc the port has 2^lmc LIDs
     * @param maxVlCode virtual lanes as a code: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15
     * @param timeout the subnet's timeout, 4.096 µs x 2^timeout
     * @param initTypeReply the kind of initialization that the subnet manager performed
     */
    public record Subnet(int smLid, int smSl, int lmc, int maxVlCode, int timeout, int initTypeReply) {

        /** No subnet manager. */
        public static final Subnet NONE = new Subnet(0, 0, 0, 1, 0, 0);
    }

    /**
     * Numbers of rejected packets: unsigned counters that stop at their maximum.
     *
     * @param badPkey packets with a wrong partition key
     * @param qkeyViolations packets with a wrong QKEY
     */
    public record Counters(int badPkey, int qkeyViolations) {

        /** No rejected packets. */
        public static final Counters NONE = new Counters(0, 0);
    }

    /**
     * Returns whether the port carries traffic.
     *
     * @return true if it is active
     */
    public boolean isActive() {
        return state == PortState.ACTIVE || state == PortState.ACTIVE_DEFER;
    }

    /**
     * Returns the port's capabilities.
     *
     * @return the capabilities whose bit is set; bits without a constant are ignored
     */
    public Set<PortCapability> capabilities() {
        return PortCapability.of(capabilityFlags);
    }
}
