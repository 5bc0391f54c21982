package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.ibverbs.ffi.MrStruct;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory. Its keys are copied: asking for them after the close is harmless. */
final class IbvMemoryRegion implements MemoryRegion, Children.Child {

    private final IbvProtectionDomain domain;
    private final MrStruct struct;
    private final long pointer;
    private final MemorySegment segment;
    private final Set<AccessFlag> access;
    private final int lkey;
    private final int rkey;
    private final Lifetime lifetime;

    IbvMemoryRegion(IbvProtectionDomain domain, MrStruct struct, MemorySegment segment, Set<AccessFlag> access) {
        this.domain = domain;
        this.struct = struct;
        this.pointer = struct.pointer();
        this.segment = segment;
        this.access = Set.copyOf(access);
        this.lkey = struct.lkey();
        this.rkey = struct.rkey();
        this.lifetime = new Lifetime("memory region", domain.context().deviceName());
        domain.memoryAndHandles().add(this);
    }

    @Override
    public MemorySegment segment() {
        return segment;
    }

    /** {@inheritDoc} A bind that still has it after the close makes a driver read freed memory. */
    @Override
    public long handle() {
        return pointer;
    }

    @Override
    public int lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return rkey;
    }

    @Override
    public Set<AccessFlag> access() {
        return access;
    }

    @Override
    public void close() {
        lifetime.end(
                () -> domain.memoryAndHandles().remove(this),
                () -> domain.context()
                        .library()
                        .deregMr(struct)
                        .check(
                                domain.context().deviceName(),
                                errno -> "The " + segment.byteSize()
                                        + " bytes stay registered and must not be freed: a window or the device uses them"));
    }
}
