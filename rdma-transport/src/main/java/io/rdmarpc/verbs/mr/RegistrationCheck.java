package io.rdmarpc.verbs.mr;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** What every provider refuses before it registers memory, so that all of them say the same. */
public final class RegistrationCheck {

    private static final int WRITING_PEER = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();

    private RegistrationCheck() {}

    /**
     * Checks memory and rights.
     *
     * @param verb the verb that was called, for the message
     * @param device the device's name
     * @param segment the memory
     * @param access the rights asked for
     * @param maxBytes the device's limit
     * @throws RdmaVerbsException when it cannot be registered: not native, empty, too large, closed or read-only memory, or
     *     rights that need others
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
                    bytes + " bytes were to be registered; the device registers up to " + maxBytes
                            + " at a time. Register parts.");
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
                    access + " was asked for a read-only segment. Register the writable one, or leave the rights to"
                            + " write out.");
        }
        if ((AccessFlag.bits(access) & WRITING_PEER) != 0 && !access.contains(AccessFlag.LOCAL_WRITE)) {
            throw new RdmaVerbsException(
                    verb,
                    device,
                    Errno.EINVAL,
                    "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too. Ask for it as well.");
        }
    }
}
