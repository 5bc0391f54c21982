package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;

/** The route of a datagram to a peer. */
final class IbvAddressHandle implements AddressHandle, Children.Child {

    private final IbvProtectionDomain domain;
    private final long pointer;
    private final AddressHandleAttributes attributes;
    private final Lifetime lifetime;

    IbvAddressHandle(IbvProtectionDomain domain, long pointer, AddressHandleAttributes attributes) {
        this.domain = domain;
        this.pointer = pointer;
        this.attributes = attributes;
        this.lifetime = new Lifetime("address handle", domain.context().deviceName());
        domain.memoryAndHandles().add(this);
    }

    /** {@inheritDoc} If a work request uses a closed handle, the driver reads freed memory. */
    @Override
    public long handle() {
        return pointer;
    }

    @Override
    public AddressHandleAttributes attributes() {
        return attributes;
    }

    @Override
    public void close() {
        lifetime.end(
                () -> domain.context()
                        .library()
                        .destroyAh(pointer)
                        .check(domain.context().deviceName(), errno -> "The handle is freed when the process ends"),
                () -> domain.memoryAndHandles().remove(this));
    }
}
