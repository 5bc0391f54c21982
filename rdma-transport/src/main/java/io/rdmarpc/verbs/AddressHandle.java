package io.rdmarpc.verbs;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;

/** The route of a datagram to a peer ({@code struct ibv_ah}). Thread-safe. {@link #close} frees the handle. */
public interface AddressHandle extends AutoCloseable {

    /**
     * Returns the value by which a work request refers to this handle.
     *
     * @return an opaque number: the C pointer, or a number of the software RNIC
     */
    long handle();

    /**
     * Returns the attributes from which this handle was created.
     *
     * @return the attributes
     */
    AddressHandleAttributes attributes();

    /** Frees the handle. Work requests that refer to it must have completed first. A second call does nothing. */
    @Override
    void close();
}
