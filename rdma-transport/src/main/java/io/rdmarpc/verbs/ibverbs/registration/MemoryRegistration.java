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
 * One wish to register memory: what can be told without the device is refused first, and what the device refuses is
 * explained.
 *
 * @param context the open device
 * @param segment the memory
 * @param access the rights
 */
public record MemoryRegistration(OpenDevice context, MemorySegment segment, Set<AccessFlag> access) {

    private static final String VERB = "ibv_reg_mr";

    /** Registers it. */
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
        return access + " was asked for " + segment.byteSize() + " bytes of " + file
                + ", which writes pages back by itself; the kernel lets no device write into them. Put the file on"
                + " tmpfs (/dev/shm) or hugetlbfs, map it privately, or leave the rights to write out";
    }

    /**
     * Old libraries refuse flags they do not know, so those that are optional go to the newer verb, as in the C macro.
     * Zero-based is an address that work requests use, which no driver makes of the flag alone.
     */
    private Reply call(long domain) {
        RegistrationVerbs verbs = context.library().registration();
        boolean zeroBased = access.contains(AccessFlag.ZERO_BASED);
        if (zeroBased && !verbs.hasRegMrAt()) {
            throw RdmaVerbsException.notSupported(VERB, device(), "ZERO_BASED needs rdma-core 28 or newer");
        }
        int bits = bits(access);
        boolean optional = (bits & RegistrationVerbs.OPTIONAL_ACCESS) != 0;
        return zeroBased || (optional && verbs.hasRegMrAt())
                ? verbs.regMrAt(domain, segment, ioVirtualAddress(), bits)
                : context.library().regMr(domain, segment, bits & ~RegistrationVerbs.OPTIONAL_ACCESS);
    }

    /** The address work requests use for the first byte. */
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
        String asked = segment.byteSize() + " bytes at 0x" + Long.toHexString(segment.address()) + " with " + access
                + " were to be registered";
        return switch (errno) {
            case Errno.ENOMEM, Errno.EAGAIN, Errno.EPERM -> asked + ". " + Memlock.advice();
            case Errno.EFAULT ->
                asked + ": not all of it is mapped, or it is mapped without the rights asked for" + whenMapped();
            default -> asked + "; " + whenRefused();
        };
    }

    private String whenMapped() {
        return segment.isMapped() && segment.isReadOnly()
                ? ". Linux before 6.2 pins no read-only mapping of a file: map it READ_WRITE and ask for the same rights"
                : "";
    }

    private String whenRefused() {
        if (access.contains(AccessFlag.ON_DEMAND)) {
            return "this device has no on-demand paging, or not for these rights (ibv_devinfo -v: general_odp_caps):"
                    + " leave ON_DEMAND out, then the pages are pinned";
        }
        if (access.contains(AccessFlag.ZERO_BASED)) {
            return "ZERO_BASED needs memory that begins at a page: allocate it with an alignment of 4096";
        }
        return "this device or kernel does not know all of these rights: leave some out";
    }

    private String device() {
        return context.deviceName();
    }
}
