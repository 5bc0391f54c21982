package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;

/** A resolved way to a peer for datagrams ({@code struct ibv_ah}). Closing frees it; any thread. */
public interface AddressHandle extends AutoCloseable {

    /**
     * Returns what a work request refers to it by.
     *
     * @return an opaque number: the C pointer, or the software RNIC's own
     */
    long handle();

    /**
     * Returns what it was made from.
     *
     * @return the attributes
     */
    AddressHandleAttributes attributes();

    /** Frees the handle. No work request that refers to it may be outstanding. A second call does nothing. */
    @Override
    void close();
}
