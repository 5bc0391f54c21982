package io.rdmarpc.verbs;

/**
 * The attributes of a port ({@code struct ibv_port_attr}).
 *
 * @param state whether the port carries traffic
 * @param maxMtu largest path MTU of the hardware
 * @param activeMtu path MTU in use
 * @param gidTableLength number of GID table entries, used or not
 * @param maxMessageBytes longest message of a connected queue pair
 * @param lid local identifier; 0 for RoCE. The software RNIC reports its UDP port here when it is not 4791
 * @param linkLayer what is below
 */
public record PortAttributes(
        PortState state,
        PathMtu maxMtu,
        PathMtu activeMtu,
        int gidTableLength,
        long maxMessageBytes,
        int lid,
        LinkLayer linkLayer) {

    /**
     * Tells whether the port carries traffic.
     *
     * @return true when it is active
     */
    public boolean isActive() {
        return state == PortState.ACTIVE || state == PortState.ACTIVE_DEFER;
    }
}
