package io.rdmarpc.verbs.mr;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Checks memory registrations for all providers, so that their messages are the same. */
public final class RegistrationCheck {

    private static final int WRITING_PEER = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();

    private RegistrationCheck() {}

    /**
     * Checks memory and rights.
     *
     * @param verb the verb that was called, for the message
     * @param device the device's name
     * @param segment the memory
     * @param access the requested access flags
     * @param maxBytes the device's limit
     * @throws RdmaVerbsException if the memory is not native, empty, too large, closed or read-only, or an access flag
     *     requires another one
     */
    public static void check(String verb, String device, MemorySegment segment, Set<AccessFlag> access, long maxBytes) {
        long bytes = segment.byteSize();
        if (!segment.isNative() || bytes == 0) {
            throw new RdmaVerbsException(
                    verb,
                    device,
                    Errno.EFAULT,
                    bytes + " bytes of " + (segment.isNative() ? "native" : "heap")
                            + " memory cannot be registered. Allocate at least 1 byte from an Arena.");
        }
        if (bytes > maxBytes) {
            throw new RdmaVerbsException(
                    verb,
                    device,
                    Errno.EINVAL,
                    bytes + " bytes exceed the device's limit of " + maxBytes
                            + " bytes for a memory region. Register parts.");
        }
        if (!segment.scope().isAlive()) {
            throw new RdmaVerbsException(
                    verb,
                    device,
                    Errno.EFAULT,
                    "The arena of the " + bytes + " bytes is closed. Keep it open longer than the region.");
        }
        checkRights(verb, device, segment.isReadOnly(), access);
    }

    private static void checkRights(String verb, String device, boolean readOnly, Set<AccessFlag> access) {
        if (readOnly && access.stream().anyMatch(AccessFlag::needsWritableMemory)) {
            throw new RdmaVerbsException(
                    verb,
                    device,
                    Errno.EACCES,
                    access + " was requested for a read-only segment. Register a writable segment, or omit rights to"
                            + " write.");
        }
        if ((AccessFlag.bits(access) & WRITING_PEER) != 0 && !access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new RdmaVerbsException(
                    verb, device, Errno.EINVAL, "REMOTE_WRITE and REMOTE_ATOMIC require LOCAL_WRITE. Request it too.");
        }
    }
}
