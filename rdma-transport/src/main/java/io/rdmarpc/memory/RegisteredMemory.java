package io.rdmarpc.memory;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.ipc.IpcMemoryRegion;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Memory and its registration, counted against a budget. Its life cycle is allocate, register, deregister, free. If a
 * deregistration fails, the memory is never freed, because the device may still access it.
 *
 * <p>The memory comes from a shared {@link Arena}: a view used after its end throws {@link IllegalStateException}, and
 * cannot access other memory.
 */
final class RegisteredMemory {

    private static final Logger LOG = System.getLogger(RegisteredMemory.class.getName());

    private final MemoryBudget budget;
    private final Arena arena;
    private MemoryRegion region;
    private IpcMemoryRegion ipc;
    private final MemorySegment memory;
    private final long byteSize;
    private boolean registered = true;
    private boolean allocated = true;

    private RegisteredMemory(MemoryBudget budget, Arena arena, MemoryRegion region) {
        this.budget = budget;
        this.arena = arena;
        this.region = region;
        this.ipc = IpcMemoryRegion.of(region);
        this.memory = region.segment();
        this.byteSize = memory.byteSize();
    }

    /** Allocates zeroed memory and registers it. Blocks in a system call that pins the pages. */
    static RegisteredMemory register(
            ProtectionDomain domain, MemoryBudget budget, PageSource pages, long bytes, Set<AccessFlag> access) {
        budget.reserve(bytes);
        Arena arena = Arena.ofShared();
        boolean done = false;
        try {
            MemoryRegion region = domain.registerLasting(allocate(pages, arena, bytes), access);
            done = true;
            return new RegisteredMemory(budget, arena, region);
        } finally {
            if (!done) {
                arena.close();
                budget.release(bytes);
            }
        }
    }

    private static MemorySegment allocate(PageSource pages, Arena arena, long bytes) {
        try {
            return pages.allocate(arena, bytes);
        } catch (OutOfMemoryError none) {
            throw new RdmaException(
                    "Cannot allocate " + ByteCount.of(bytes) + " outside the Java heap. Raise"
                            + " -XX:MaxDirectMemorySize (its default is the heap's maximum) or lower "
                            + MemoryBudget.PROPERTY + ".",
                    none);
        }
    }

    MemorySegment segment() {
        return memory;
    }

    long byteSize() {
        return byteSize;
    }

    int lkey() {
        return region.lkey();
    }

    int rkey() {
        return region.rkey();
    }

    boolean isViewed() {
        return ipc.isViewed();
    }

    void prepare(long bytes) {
        ipc.prepare(0, bytes);
    }

    void copyFrom(MemorySegment source, long sourceOffset, long offset, long bytes) {
        ipc.copyFrom(source, sourceOffset, offset, bytes);
    }

    /**
     * Changes the region's remote key. Returns false if the device cannot do so, or the region is closed. Blocks for a
     * short lock at most.
     */
    boolean renewRemoteKey() {
        return region.renewRemoteKey();
    }

    /**
     * Replaces the registration by another one of the same memory, which invalidates both old keys. Blocks in system
     * calls. Does nothing after {@link #deregister}.
     *
     * @throws RdmaException if the device rejects either step; the memory may then be unregistered, and only {@link
     *     #release} is allowed
     */
    synchronized void registerAgain(ProtectionDomain domain) {
        if (registered) {
            Set<AccessFlag> access = region.access();
            deregister();
            region = domain.registerLasting(memory, access);
            ipc = IpcMemoryRegion.of(region);
            registered = true;
        }
    }

    /** Invalidates both keys and keeps the memory. A second call does nothing. */
    synchronized void deregister() {
        if (registered) {
            region.close();
            registered = false;
        }
    }

    /** Deregisters, then frees the memory. A second call does nothing. */
    synchronized void release() {
        deregister();
        if (allocated) {
            allocated = false;
            budget.release(byteSize);
            free();
        }
    }

    private void free() {
        try {
            arena.close();
        } catch (IllegalStateException busy) {
            LOG.log(Level.WARNING, byteSize + " bytes stay allocated: a running I/O call still uses them", busy);
        }
    }

    /**
     * Releases all elements even if some fail, then throws the first failure with the others as suppressed exceptions.
     */
    static void releaseAll(Collection<RegisteredMemory> memories) {
        RdmaException first = null;
        for (RegisteredMemory memory : memories) {
            first = attempt(memory::release, first);
        }
        throwIfAny(first);
    }

    /** Like {@link #releaseAll}, but only ends the registrations. */
    static void deregisterAll(Collection<RegisteredMemory> memories) {
        RdmaException first = null;
        for (RegisteredMemory memory : memories) {
            first = attempt(memory::deregister, first);
        }
        throwIfAny(first);
    }

    private static @Nullable RdmaException attempt(Runnable step, @Nullable RdmaException first) {
        try {
            step.run();
            return first;
        } catch (RdmaException failure) {
            if (first == null) {
                return failure;
            }
            first.addSuppressed(failure);
            return first;
        }
    }

    private static void throwIfAny(@Nullable RdmaException failure) {
        if (failure != null) {
            throw failure;
        }
    }
}
