package io.rdmarpc.verbs.attributes;

/**
 * The path to which a connection may move if its primary path fails. This is automatic path migration of InfiniBand,
 * not tested on hardware.
 *
 * @param route the route to the peer; its port may differ from that of the primary path
 * @param pkeyIndex index into that port's partition key table
 * @param timeout the acknowledge timeout of that path as an exponent: 4.096 µs x 2^timeout, 0 to 31
 */
public record AlternatePath(AddressHandleAttributes route, int pkeyIndex, int timeout) {}
