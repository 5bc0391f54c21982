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

/** Registered memory. The keys are copies, so that reading them after the close is harmless. */
final class IbvMemoryRegion implements MemoryRegion, Children.Child {

    private static final String REREGISTER = "ibv_rereg_mr";

    private final IbvProtectionDomain domain;
    private final MrStruct struct;
    private final long pointer;
    private final Lifetime lifetime;

    /** A change of the registration replaces this object; the lock of the struct allows one change at a time. */
    private volatile Registered registered;

    private boolean lost;

    /**
     * The registered memory and its keys.
     *
     * @param segment the memory; empty if it belongs to another device
     * @param address the address of the first byte in work requests
     * @param byteSize the length in bytes
     * @param access the access flags
     * @param lkey the key for local work requests
     * @param rkey the key for peers
     */
    private record Registered(
            MemorySegment segment, long address, long byteSize, Set<AccessFlag> access, int lkey, int rkey) {

        static Registered memory(MrStruct struct, MemoryRegistration request) {
            return new Registered(
                    request.segment(),
                    request.ioVirtualAddress(),
                    request.segment().byteSize(),
                    Set.copyOf(request.access()),
                    struct.lkey(),
                    struct.rkey());
        }

        static Registered dmaBuf(MrStruct struct, DmaBufRegistration request) {
            return new Registered(
                    MemorySegment.NULL,
                    request.ioVirtualAddress(),
                    request.bytes(),
                    Set.copyOf(request.access()),
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

    static IbvMemoryRegion of(IbvProtectionDomain domain, MrStruct struct, MemoryRegistration request) {
        return new IbvMemoryRegion(domain, struct, Registered.memory(struct, request));
    }

    static IbvMemoryRegion of(IbvProtectionDomain domain, MrStruct struct, DmaBufRegistration request) {
        return new IbvMemoryRegion(domain, struct, Registered.dmaBuf(struct, request));
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

    /** {@inheritDoc} If a bind uses the handle of a closed region, the driver reads freed memory. */
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
        MemoryRegistration request = new MemoryRegistration(domain.context(), segment, access);
        lifetime.whileOpen(REREGISTER, () -> {
            synchronized (struct) {
                change(request);
            }
            return this;
        });
    }

    private void change(MemoryRegistration request) {
        int flags = differences(registered, request);
        request.check(REREGISTER);
        if (lost) {
            throw failure(Errno.EINVAL, "An earlier change failed halfway: close the region and register again");
        }
        if (!registered.isAtItsOwnAddress() || request.access().contains(AccessFlag.ZERO_BASED)) {
            throw RdmaVerbsException.notSupported(
                    REREGISTER,
                    domain.context().deviceName(),
                    "A dma-buf or a ZERO_BASED region cannot be changed: the"
                            + " region is unchanged; close it and register again");
        }
        if (flags != 0) {
            change(request, flags);
        }
    }

    private static int differences(Registered now, MemoryRegistration request) {
        boolean memoryChanges = now.address() != request.segment().address()
                || now.byteSize() != request.segment().byteSize();
        boolean rightsChange = !now.access().equals(request.access());
        return (memoryChanges ? RegistrationVerbs.CHANGE_TRANSLATION : 0)
                | (rightsChange ? RegistrationVerbs.CHANGE_ACCESS : 0);
    }

    private void change(MemoryRegistration request, int flags) {
        boolean rightsChange = (flags & RegistrationVerbs.CHANGE_ACCESS) != 0;
        Reply reply = domain.context()
                .library()
                .registration()
                // The library rejects access flags if CHANGE_ACCESS is not set.
                .reregMr(
                        struct, flags, request.segment(), rightsChange ? MemoryRegistration.bits(request.access()) : 0);
        switch (ReregisterOutcome.of((int) reply.value(), reply.capturedErrno())) {
            case CHANGED -> registered = Registered.memory(struct, request);
            case UNCHANGED ->
                throw failure(reply.capturedErrno(), "The region is unchanged; close it and register again");
            case LOST -> {
                lost = true;
                throw failure(
                        reply.capturedErrno(),
                        "The change failed halfway (code " + reply.value()
                                + "): do not use the region; close it and register again");
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
                                        + " bytes stay registered, do not free them: a window or the device uses them"),
                () -> domain.memoryAndHandles().remove(this));
    }
}
