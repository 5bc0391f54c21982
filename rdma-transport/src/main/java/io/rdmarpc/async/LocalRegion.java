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
 * Registered memory of a node, shared by all its connections. Operations take {@link LocalSlice slices} of it. Any
 * thread.
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
     * Returns its size.
     *
     * @return bytes
     */
    public long length() {
        return segment.byteSize();
    }

    /**
     * Returns what may be done with it.
     *
     * @return the rights it is registered with
     */
    public Set<AccessFlag> rights() {
        return memory.access();
    }

    /**
     * Takes all of it.
     *
     * @return a slice as long as the region
     */
    public LocalSlice slice() {
        return new LocalSlice(this, 0, length());
    }

    /**
     * Takes a part.
     *
     * @param offset bytes from the first
     * @param bytes how many
     * @return the slice
     * @throws IndexOutOfBoundsException when it is not inside
     */
    public LocalSlice slice(long offset, long bytes) {
        return new LocalSlice(this, offset, bytes);
    }

    /**
     * Describes it for the peer. Without remote rights the peer's operations fail.
     *
     * @return what the peer can read or write, as the rights allow
     */
    public RemoteMemoryRange remote() {
        return new RemoteMemoryRange(address(), length(), memory.rkey());
    }

    /**
     * Ends it: no operation is taken any more, and its memory is not for use. When operations have not ended, the
     * device keeps memory and registration until the last one has; {@link #released} tells. Peers lose access at that
     * moment. A second call does nothing.
     */
    @Override
    public void close() {
        if (claims.close()) {
            release();
        }
    }

    /**
     * Tells when the device has let go: from then on memory given to {@link RdmaNode#register} may be freed.
     *
     * @return completed after {@link #close} and the end of the last operation; exceptionally when the device does not let
     *     go, then the memory must stay as it is
     */
    public CompletableFuture<Void> released() {
        return released.copy();
    }

    /**
     * Keeps memory and registration beyond {@link #close}, for whoever lends the memory in another way.
     *
     * @return closing it lets go; then, or when the node is closed, the region may be released
     * @throws RdmaRegionClosedException after {@link #close}
     */
    public Hold hold() {
        claims.hold();
        return new Hold(this);
    }

    /** The node that a region is registered with. */
    interface Owner {

        /** Runs what may block, on another thread than the polling thread. Any thread. */
        void execute(Runnable task);
    }

    /** Keeps a region's memory. Any thread. */
    public static final class Hold implements AutoCloseable {

        private final LocalRegion region;
        private final AtomicBoolean dropped = new AtomicBoolean();

        private Hold(LocalRegion region) {
            this.region = region;
        }

        /**
         * Returns the memory, whatever operations are doing with it.
         *
         * @return all of the region
         */
        public MemorySegment segment() {
            return region.segment;
        }

        /** Lets go. A second call does nothing. */
        @Override
        public void close() {
            if (dropped.compareAndSet(false, true)) {
                region.claims.drop();
            }
        }
    }

    private void releaseSoon() {
        // Unpinning many pages takes long; the polling thread has other things to do.
        owner.execute(this::release);
    }

    /** Deregisters, then frees the memory. The node calls this too, when nothing can be using it. */
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

    /** Tells whether it is registered with this node: the keys of another one say something else here, or nothing. */
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
