package io.rdmarpc.verbs.attributes;

/**
 * One used entry of a port's GID table ({@code struct ibv_gid_entry}).
 *
 * @param index position in the table
 * @param gid the identifier
 * @param type its kind
 * @param interfaceIndex index of the network interface in the operating system, 0 if unknown
 */
public record GidEntry(int index, Gid gid, GidType type, int interfaceIndex) {}
