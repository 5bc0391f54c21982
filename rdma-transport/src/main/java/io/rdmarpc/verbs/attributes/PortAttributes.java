package io.rdmarpc.verbs.attributes;

import java.util.Set;

/**
 * The attributes of a port ({@code struct ibv_port_attr}).
 *
 * @param state whether the port carries traffic
 * @param maxMtu largest path MTU of the hardware
 * @param activeMtu path MTU in use
 * @param gidTableLength number of GID table entries, used or not
 * @param pkeyTableLength number of partition key table entries
 * @param maxMessageBytes longest message of a connected queue pair
 * @param lid local identifier; 0 for RoCE. The software RNIC reports its UDP port here when it is not 4791
 * @param linkLayer what is below
 * @param capabilityFlags the {@code IBV_PORT_*} bits; see {@link #capabilities()}
 * @param capabilityFlags2 the second set of bits
 * @param link the physical link
 * @param subnet what InfiniBand's subnet manager has set; zeros for RoCE
 * @param counters packets that were refused
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
     * What InfiniBand's subnet manager has set.
     *
     * @param smLid the subnet manager's LID
     * @param smSl the service level to reach it by
     * @param lmc the port answers to 2 to the power of this LIDs
     * @param maxVlCode virtual lanes as a code: 1, 2, 3, 4, 5 for 1, 2, 4, 8, 15
     * @param timeout the subnet's time-out, 4.096 us times 2 to the power of this
     * @param initTypeReply how it was initialised
     */
    public record Subnet(int smLid, int smSl, int lmc, int maxVlCode, int timeout, int initTypeReply) {

        /** No subnet manager. */
        public static final Subnet NONE = new Subnet(0, 0, 0, 1, 0, 0);
    }

    /**
     * Packets that were refused; unsigned numbers that stop at their largest value.
     *
     * @param badPkey packets with a wrong partition key
     * @param qkeyViolations packets with a wrong QKEY
     */
    public record Counters(int badPkey, int qkeyViolations) {

        /** None. */
        public static final Counters NONE = new Counters(0, 0);
    }

    /**
     * Tells whether the port carries traffic.
     *
     * @return true when it is active
     */
    public boolean isActive() {
        return state == PortState.ACTIVE || state == PortState.ACTIVE_DEFER;
    }

    /**
     * Returns what it can do.
     *
     * @return the capabilities whose bit is set, as far as this version knows them
     */
    public Set<PortCapability> capabilities() {
        return PortCapability.of(capabilityFlags);
    }
}
