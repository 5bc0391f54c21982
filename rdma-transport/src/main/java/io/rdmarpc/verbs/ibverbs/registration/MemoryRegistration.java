package io.rdmarpc.verbs.ibverbs.registration;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.ffi.RegistrationVerbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MrStruct;
import io.rdmarpc.verbs.mr.RegistrationCheck;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

/**
 * A request to register memory. It rejects invalid requests before the device is called, and explains failures of the
 * device.
 *
 * @param context the open device
 * @param segment the memory
 * @param access the access flags
 */
public record MemoryRegistration(OpenDevice context, MemorySegment segment, Set<AccessFlag> access) {

    private static final String VERB = "ibv_reg_mr";

    /** Registers the memory. */
    public MrStruct register(long domain) {
        check(VERB);
        return MrStruct.at(call(domain).pointer(device(), this::explain), segment);
    }

    public void check(String verb) {
        RegistrationCheck.check(
                verb, device(), segment, access, context.attributes().maxMrSizeBytes());
        if (segment.isMapped() && access.stream().anyMatch(AccessFlag::needsWritableMemory)) {
            FileMappings.ofThisProcess()
                    .notPinnable(segment.address(), segment.byteSize())
                    .ifPresent(file -> {
                        throw RdmaVerbsException.notSupported(verb, device(), mappedFile(file));
                    });
        }
    }

    private String mappedFile(String file) {
        return access + " was requested for " + segment.byteSize() + " bytes of " + file
                + ", which writes pages back; the kernel permits no device to write to them. Put the file on"
                + " tmpfs (/dev/shm) or hugetlbfs, map it privately, or omit the rights to write";
    }

    /**
     * Calls the verb that supports the flags. Old libraries reject unknown flags; optional flags therefore need the
     * newer verb, as in the C macro. In a zero-based region, work requests address the first byte as 0. No driver
     * implements the flag itself, so that this address is passed to the verb.
     */
    private Reply call(long domain) {
        RegistrationVerbs verbs = context.library().registration();
        boolean zeroBased = access.contains(AccessFlag.ZERO_BASED);
        if (zeroBased && !verbs.hasRegMrAt()) {
            throw RdmaVerbsException.notSupported(VERB, device(), "ZERO_BASED requires rdma-core 28 or newer");
        }
        int bits = bits(access);
        boolean optional = (bits & RegistrationVerbs.OPTIONAL_ACCESS) != 0;
        return zeroBased || (optional && verbs.hasRegMrAt())
                ? verbs.regMrAt(domain, segment, ioVirtualAddress(), bits)
                : context.library().regMr(domain, segment, bits & ~RegistrationVerbs.OPTIONAL_ACCESS);
    }

    /** Returns the address of the first byte in work requests. */
    public long ioVirtualAddress() {
        return access.contains(AccessFlag.ZERO_BASED) ? 0 : segment.address();
    }

    public static int bits(Set<AccessFlag> access) {
        Set<AccessFlag> forDriver = EnumSet.noneOf(AccessFlag.class);
        forDriver.addAll(access);
        forDriver.remove(AccessFlag.ZERO_BASED);
        return AccessFlag.bits(forDriver);
    }

    private String explain(int errno) {
        String requested = segment.byteSize() + " bytes at 0x" + Long.toHexString(segment.address()) + " with " + access
                + " could not be registered";
        return switch (errno) {
            case Errno.ENOMEM, Errno.EAGAIN, Errno.EPERM -> requested + ". " + Memlock.advice();
            case Errno.EFAULT ->
                requested + ": a part is not mapped, or is mapped without the requested rights" + whenMapped();
            default -> requested + "; " + whenRejected();
        };
    }

    private String whenMapped() {
        return segment.isMapped() && segment.isReadOnly()
                ? ". Linux before 6.2 pins no read-only mapping of a file: map it READ_WRITE with the same access flags"
                : "";
    }

    private String whenRejected() {
        if (access.contains(AccessFlag.ON_DEMAND)) {
            return "this device has no on-demand paging for these rights (ibv_devinfo -v: general_odp_caps):"
                    + " omit ON_DEMAND, so that the pages are pinned";
        }
        if (access.contains(AccessFlag.ZERO_BASED)) {
            return "ZERO_BASED requires memory that begins at a page: allocate it with an alignment of 4096";
        }
        return "this device or kernel does not support all of these rights: omit some";
    }

    private String device() {
        return context.deviceName();
    }
}
