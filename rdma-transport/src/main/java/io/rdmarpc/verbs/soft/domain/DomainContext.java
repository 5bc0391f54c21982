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
 * The state that a protection domain shares with everything that was created from it: access to its memory, and the
 * queue of events. Objects with the same context belong to the same domain.
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

    /** Finds the region for a local access, or null if the key, the range or the right does not allow it. */
    @Nullable
    public SoftMemoryRegion local(int lkey, long address, long length, int right) {
        return memory.local(this, lkey, address, length, right);
    }

    /** Finds the region for a peer's access, or null if the key, the range or the right does not allow it. */
    @Nullable
    public SoftMemoryRegion remote(int rkey, long address, long length, int right) {
        return memory.remote(this, rkey, address, length, right);
    }

    /** Checks that memory can be registered with these rights in any domain. */
    public static void checkRegistration(String verb, MemorySegment segment, Set<AccessFlag> access) {
        RegistrationCheck.check(verb, DeviceConstants.NAME, segment, access, DeviceConstants.MAX_REGION_BYTES);
    }

    /** Checks that the progress thread can access memory. */
    public void checkReach(String verb, MemorySegment segment) {
        if (!rnic.reaches(segment)) {
            throw new RdmaVerbsException(
                    verb,
                    DeviceConstants.NAME,
                    Errno.EACCES,
                    "The " + segment.byteSize()
                            + " bytes belong to a confined arena, and the progress thread may not"
                            + " access them. Allocate them from Arena.ofShared() or Arena.ofAuto(), or set "
                            + SoftRnicOptions.PROGRESS + "=owner and poll on the thread of the arena.");
        }
    }
}
