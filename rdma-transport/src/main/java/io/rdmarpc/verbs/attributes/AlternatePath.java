package io.rdmarpc.verbs.attributes;

/**
 * The way a connection may move to when its first one fails (automatic path migration of InfiniBand; not verified on
 * hardware).
 *
 * @param way the way to the peer, whose port may be another one
 * @param pkeyIndex index into that port's partition key table
 * @param timeout the acknowledge time-out there as an exponent: 4.096 us x 2^timeout, 0 to 31
 */
public record AlternatePath(AddressHandleAttributes way, int pkeyIndex, int timeout) {}
