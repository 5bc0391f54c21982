package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.soft.port.Route;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;

/** The route of datagrams to a peer, resolved once. */
public final class SoftAddressHandle implements AddressHandle, OpenChildren.Child {

    private final DomainContext domain;
    private final AddressHandleTable table;
    private final long handle;
    private final AddressHandleAttributes attributes;
    private final Route route;
    private final int mtuBytes;
    private volatile boolean open = true;

    public SoftAddressHandle(
            DomainContext domain,
            AddressHandleTable table,
            long handle,
            AddressHandleAttributes attributes,
            Route route) {
        this.domain = domain;
        this.table = table;
        this.handle = handle;
        this.attributes = attributes;
        this.route = route;
        this.mtuBytes = route.source().mtu().bytes();
    }

    @Override
    public long handle() {
        return handle;
    }

    @Override
    public AddressHandleAttributes attributes() {
        return attributes;
    }

    public DomainContext domain() {
        return domain;
    }

    /** Returns the maximum payload of a datagram on this route, in bytes. */
    public int mtuBytes() {
        return mtuBytes;
    }

    /** Returns whether the handle is open. Any thread. */
    public boolean isOpen() {
        return open;
    }

    public Route route() {
        return route;
    }

    @Override
    public void close() {
        domain.rnic().lock();
        try {
            if (table.remove(this)) {
                open = false;
                domain.memoryAndHandles().remove(this);
                domain.rnic().link().release(route.destination());
            }
        } finally {
            domain.rnic().unlock();
        }
    }
}
