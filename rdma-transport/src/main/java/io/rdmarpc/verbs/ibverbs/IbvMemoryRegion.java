package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.ffi.RegistrationVerbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MrStruct;
import io.rdmarpc.verbs.ibverbs.registration.DmaBufRegistration;
import io.rdmarpc.verbs.ibverbs.registration.MemoryRegistration;
import io.rdmarpc.verbs.ibverbs.registration.ReregisterOutcome;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory. Its keys are copied: asking for them after the close is harmless. */
final class IbvMemoryRegion implements MemoryRegion, Children.Child {

    private static final String REREGISTER = "ibv_rereg_mr";

    private final IbvProtectionDomain domain;
    private final MrStruct struct;
    private final long pointer;
    private final Lifetime lifetime;

    /** Replaced as a whole by a registration that changes, one at a time. */
    private volatile Registered registered;

    private boolean lost;

    /**
     * What is registered.
     *
     * @param segment the memory; empty when it is another device's
     * @param address what work requests call the first byte
     * @param byteSize length
     * @param access the rights
     * @param lkey the key for own work requests
     * @param rkey the key for peers
     */
    private record Registered(
            MemorySegment segment, long address, long byteSize, Set<AccessFlag> access, int lkey, int rkey) {

        static Registered memory(MrStruct struct, MemoryRegistration wish) {
            return new Registered(
                    wish.segment(),
                    wish.ioVirtualAddress(),
                    wish.segment().byteSize(),
                    Set.copyOf(wish.access()),
                    struct.lkey(),
                    struct.rkey());
        }

        static Registered dmaBuf(MrStruct struct, DmaBufRegistration wish) {
            return new Registered(
                    MemorySegment.NULL,
                    wish.ioVirtualAddress(),
                    wish.bytes(),
                    Set.copyOf(wish.access()),
                    struct.lkey(),
                    struct.rkey());
        }

        boolean isAtItsOwnAddress() {
            return segment.byteSize() > 0 && address == segment.address();
        }
    }

    private IbvMemoryRegion(IbvProtectionDomain domain, MrStruct struct, Registered registered) {
        this.domain = domain;
        this.struct = struct;
        this.pointer = struct.pointer();
        this.registered = registered;
        this.lifetime = new Lifetime("memory region", domain.context().deviceName());
        domain.memoryAndHandles().add(this);
    }

    static IbvMemoryRegion of(IbvProtectionDomain domain, MrStruct struct, MemoryRegistration wish) {
        return new IbvMemoryRegion(domain, struct, Registered.memory(struct, wish));
    }

    static IbvMemoryRegion of(IbvProtectionDomain domain, MrStruct struct, DmaBufRegistration wish) {
        return new IbvMemoryRegion(domain, struct, Registered.dmaBuf(struct, wish));
    }

    @Override
    public MemorySegment segment() {
        return registered.segment();
    }

    @Override
    public long address() {
        return registered.address();
    }

    @Override
    public long byteSize() {
        return registered.byteSize();
    }

    /** {@inheritDoc} A bind that still has it after the close makes a driver read freed memory. */
    @Override
    public long handle() {
        return pointer;
    }

    @Override
    public int lkey() {
        return registered.lkey();
    }

    @Override
    public int rkey() {
        return registered.rkey();
    }

    @Override
    public Set<AccessFlag> access() {
        return registered.access();
    }

    @Override
    public void reregister(MemorySegment segment, Set<AccessFlag> access) {
        MemoryRegistration wish = new MemoryRegistration(domain.context(), segment, access);
        lifetime.whileOpen(REREGISTER, () -> {
            synchronized (struct) {
                change(wish);
            }
            return this;
        });
    }

    private void change(MemoryRegistration wish) {
        int flags = differences(registered, wish);
        wish.check(REREGISTER);
        if (lost) {
            throw failure(Errno.EINVAL, "An earlier change failed half-way: close the region and register again");
        }
        if (!registered.isAtItsOwnAddress() || wish.access().contains(AccessFlag.ZERO_BASED)) {
            throw RdmaVerbsException.notSupported(
                    REREGISTER,
                    domain.context().deviceName(),
                    "A dma-buf or a ZERO_BASED region cannot be changed: the"
                            + " region is as before; close it and register again");
        }
        if (flags != 0) {
            change(wish, flags);
        }
    }

    private static int differences(Registered now, MemoryRegistration wish) {
        boolean otherMemory = now.address() != wish.segment().address()
                || now.byteSize() != wish.segment().byteSize();
        boolean otherRights = !now.access().equals(wish.access());
        return (otherMemory ? RegistrationVerbs.CHANGE_TRANSLATION : 0)
                | (otherRights ? RegistrationVerbs.CHANGE_ACCESS : 0);
    }

    private void change(MemoryRegistration wish, int flags) {
        boolean otherRights = (flags & RegistrationVerbs.CHANGE_ACCESS) != 0;
        Reply reply = domain.context()
                .library()
                .registration()
                // The library refuses rights that do not change.
                .reregMr(struct, flags, wish.segment(), otherRights ? MemoryRegistration.bits(wish.access()) : 0);
        switch (ReregisterOutcome.of((int) reply.value(), reply.capturedErrno())) {
            case CHANGED -> registered = Registered.memory(struct, wish);
            case UNCHANGED ->
                throw failure(reply.capturedErrno(), "The region is as before; close it and register again instead");
            case LOST -> {
                lost = true;
                throw failure(
                        reply.capturedErrno(),
                        "The change failed half-way (code " + reply.value()
                                + "): the region must not be used any more; close it and register again");
            }
        }
    }

    private RdmaVerbsException failure(int errno, String explanation) {
        return new RdmaVerbsException(REREGISTER, domain.context().deviceName(), errno, explanation);
    }

    @Override
    public void close() {
        lifetime.end(
                () -> domain.context()
                        .library()
                        .deregMr(struct)
                        .check(
                                domain.context().deviceName(),
                                errno -> "The " + byteSize()
                                        + " bytes stay registered and must not be freed: a window or the device uses them"),
                () -> domain.memoryAndHandles().remove(this));
    }
}
