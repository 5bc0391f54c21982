package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaRegionClosedException;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory of a node, shared by all its connections. Operations use {@link LocalSlice slices} of it.
 * Thread-safe.
 */
public final class LocalRegion implements AutoCloseable {

    private final MemoryRegion memory;
    private final MemorySegment segment;
    private final @Nullable Arena arena;
    private final Owner owner;
    private final Consumer<LocalRegion> whenReleased;
    private final RegionClaims claims = new RegionClaims(this::releaseSoon);
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    LocalRegion(MemoryRegion memory, @Nullable Arena arena, Owner owner, Consumer<LocalRegion> whenReleased) {
        this.memory = memory;
        this.segment = memory.segment();
        this.arena = arena;
        this.owner = owner;
        this.whenReleased = whenReleased;
    }

    /**
     * Returns the size.
     *
     * @return bytes
     */
    public long length() {
        return segment.byteSize();
    }

    /**
     * Returns the access flags of the region.
     *
     * @return the access flags with which it is registered
     */
    public Set<AccessFlag> rights() {
        return memory.access();
    }

    /**
     * Returns a slice of the whole region.
     *
     * @return a slice as long as the region
     */
    public LocalSlice slice() {
        return new LocalSlice(this, 0, length());
    }

    /**
     * Returns a slice of a part of the region.
     *
     * @param offset bytes from the start of the region
     * @param bytes the length of the slice in bytes
     * @return the slice
     * @throws IndexOutOfBoundsException if the slice is not inside the region
     */
    public LocalSlice slice(long offset, long bytes) {
        return new LocalSlice(this, offset, bytes);
    }

    /**
     * Describes the region for the peer. Without remote access flags the peer's operations fail.
     *
     * @return the range that the peer can read or write, as far as the access flags allow
     */
    public RemoteMemoryRange remote() {
        return new RemoteMemoryRange(address(), length(), memory.rkey());
    }

    /**
     * Closes the region: it accepts no further operations, and its memory must not be used any more. The memory stays
     * allocated and registered while operations are pending; {@link #released} completes after the last one. Until the
     * deregistration, peers keep their access. A second call has no effect.
     */
    @Override
    public void close() {
        if (claims.close()) {
            release();
        }
    }

    /**
     * Returns a future that completes when the device no longer uses the memory. Memory given to
     * {@link RdmaNode#register} may then be freed.
     *
     * @return a future that completes after {@link #close} and the end of the last operation. It completes
     *     exceptionally if the deregistration fails; the memory must not be freed then
     */
    public CompletableFuture<Void> released() {
        return released.copy();
    }

    /**
     * Keeps the memory and its registration beyond {@link #close}, for code that shares the memory outside of this
     * package.
     *
     * @return a hold; closing it, or closing the node, allows the region to be released
     * @throws RdmaRegionClosedException after {@link #close}
     */
    public Hold hold() {
        claims.hold();
        return new Hold(this);
    }

    /** The node with which a region is registered. */
    interface Owner {

        /** Runs a task that may block, on a thread other than the polling thread. Any thread may call this method. */
        void execute(Runnable task);
    }

    /** Keeps the memory of a region registered. Thread-safe. */
    public static final class Hold implements AutoCloseable {

        private final LocalRegion region;
        private final AtomicBoolean dropped = new AtomicBoolean();

        private Hold(LocalRegion region) {
            this.region = region;
        }

        /**
         * Returns the memory without checking for pending operations.
         *
         * @return the memory of the whole region
         */
        public MemorySegment segment() {
            return region.segment;
        }

        /** Releases the hold. A second call has no effect. */
        @Override
        public void close() {
            if (dropped.compareAndSet(false, true)) {
                region.claims.drop();
            }
        }
    }

    private void releaseSoon() {
        // Unpinning many pages takes long and would block the polling thread.
        owner.execute(this::release);
    }

    /** Deregisters and then frees the memory. The node also calls this after all its connections have ended. */
    synchronized void release() {
        if (released.isDone()) {
            return;
        }
        try {
            memory.close();
            if (arena != null) {
                arena.close();
            }
            released.complete(null);
        } catch (RuntimeException e) {
            released.completeExceptionally(e);
        } finally {
            whenReleased.accept(this);
        }
    }

    RegionClaims claims() {
        return claims;
    }

    MemorySegment segment() {
        return segment;
    }

    long address() {
        return memory.address();
    }

    int lkey() {
        return memory.lkey();
    }

    /** Returns whether the region is registered with this node; its keys are valid only there. */
    boolean isOf(Owner node) {
        return owner.equals(node);
    }

    boolean mayBeWritten() {
        return memory.access().contains(AccessFlag.LOCAL_WRITE);
    }

    @Override
    public String toString() {
        return "region of " + length() + " bytes " + rights();
    }
}
