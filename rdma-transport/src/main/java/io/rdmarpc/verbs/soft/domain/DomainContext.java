package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.RegistrationCheck;
import io.rdmarpc.verbs.soft.SoftRnicOptions;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.rnic.SoftAsyncEvents;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a protection domain shares with all that was made from it: access to its memory, and a place to report events. Whatever has the
 * same context belongs to the same domain.
 */
public final class DomainContext {

    private final RnicContext rnic;
    private final MemoryTable memory;
    private final SoftAsyncEvents events;
    private final OpenChildren memoryAndHandles = new OpenChildren();

    public DomainContext(RnicContext rnic, MemoryTable memory, SoftAsyncEvents events) {
        this.rnic = rnic;
        this.memory = memory;
        this.events = events;
    }

    public RnicContext rnic() {
        return rnic;
    }

    /** Returns the memory regions of all domains. */
    MemoryTable memory() {
        return memory;
    }

    public SoftAsyncEvents events() {
        return events;
    }

    /** Returns the open memory regions, shared receive queues and address handles of the domain. */
    public OpenChildren memoryAndHandles() {
        return memoryAndHandles;
    }

    /** Finds the region for an own access, or null when the key, the range or the right does not allow it. */
    @Nullable
    public SoftMemoryRegion local(int lkey, long address, long length, int right) {
        return memory.local(this, lkey, address, length, right);
    }

    /** Finds the region for a peer's access, or null when the key, the range or the right does not allow it. */
    @Nullable
    public SoftMemoryRegion remote(int rkey, long address, long length, int right) {
        return memory.remote(this, rkey, address, length, right);
    }

    /** Fails if memory cannot be registered with these rights on any domain. */
    public static void checkRegistration(String verb, MemorySegment segment, Set<AccessFlag> access) {
        RegistrationCheck.check(verb, DeviceConstants.NAME, segment, access, DeviceConstants.MAX_REGION_BYTES);
    }

    /** Fails if the progress thread cannot read and write memory. */
    public void checkReach(String verb, MemorySegment segment) {
        if (!rnic.reaches(segment)) {
            throw new RdmaVerbsException(
                    verb,
                    DeviceConstants.NAME,
                    Errno.EACCES,
                    "The " + segment.byteSize()
                            + " bytes belong to a confined arena, and the progress thread may not"
                            + " touch them. Take them from Arena.ofShared() or Arena.ofAuto(), or set "
                            + SoftRnicOptions.PROGRESS + "=owner and poll in the arena's thread.");
        }
    }
}
