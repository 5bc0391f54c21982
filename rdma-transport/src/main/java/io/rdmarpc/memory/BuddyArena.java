package io.rdmarpc.memory;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory for messages of any size. The arena registers chunks once, and a buddy allocator divides them into
 * blocks of powers of two. Blocks have no headroom. The device may write to them, peers may not: the access is {@link
 * AccessFlag#LOCAL_WRITE}.
 *
 * <p>Thread-safe. Registration blocks in a system call. It happens only in {@link #allocate} and {@link #grow}, and
 * never delays {@link #tryAllocate} or freeing.
 */
public final class BuddyArena implements AutoCloseable {

    private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.LOCAL_WRITE);

    private final ProtectionDomain domain;
    private final MemoryBudget budget;
    private final BuddyArenaConfig config;
    private final PageSource pages;

    /** Held by one thread at a time while it registers or releases chunks; acquired before {@link #lock}. */
    private final Object growth = new Object();

    /** Held for a few steps of arithmetic; guards the fields below and every chunk's allocator. */
    private final Object lock = new Object();

    private final List<BuddyChunk> chunks = new ArrayList<>();
    private int blocksInUse;
    private boolean closed;

    /**
     * Creates an empty arena with the default sizes.
     *
     * @param domain registers the chunks; stays open until the arena is closed
     * @param budget limits the registered bytes
     */
    public BuddyArena(ProtectionDomain domain, MemoryBudget budget) {
        this(domain, budget, BuddyArenaConfig.DEFAULT);
    }

    /**
     * Creates an empty arena, which has registered nothing yet. Call {@link #grow} to register its first chunk in
     * advance.
     *
     * @param domain registers the chunks; stays open until the arena is closed
     * @param budget limits the registered bytes
     * @param config the sizes of blocks and chunks
     */
    public BuddyArena(ProtectionDomain domain, MemoryBudget budget, BuddyArenaConfig config) {
        this(domain, budget, config, PageSource.ORDINARY);
    }

    /**
     * Creates an empty arena, which has registered nothing yet. Call {@link #grow} to register its first chunk in
     * advance.
     *
     * @param domain registers the chunks; stays open until the arena is closed
     * @param budget limits the registered bytes
     * @param config the sizes of blocks and chunks
     * @param pages allocates the memory of the chunks
     */
    public BuddyArena(ProtectionDomain domain, MemoryBudget budget, BuddyArenaConfig config, PageSource pages) {
        this.pages = pages;
        this.domain = domain;
        this.budget = budget;
        this.config = config;
    }

    /**
     * Allocates from registered memory; never blocks longer than a short lock.
     *
     * @param bytes 0 up to the largest block
     * @return a buffer of at least that capacity, owned by the caller; null if no chunk has room or the arena is closed
     */
    public @Nullable MessageBuffer tryAllocate(int bytes) {
        RegisteredBlock block = tryTakeBlock(bytes);
        return block == null ? null : MessageBuffer.of(block, 0);
    }

    /**
     * Like {@link #tryAllocate}, but returns the block without a handle. For the engine.
     *
     * @param bytes 0 up to the largest block
     * @return a block of at least that capacity, freed by the caller; null if there is no room
     */
    public @Nullable RegisteredBlock tryTakeBlock(int bytes) {
        checkSize(bytes);
        synchronized (lock) {
            for (BuddyChunk chunk : chunks) {
                BuddyBlock block = chunk.tryTake(bytes);
                if (block != null) {
                    blocksInUse++;
                    return block;
                }
            }
            return null;
        }
    }

    /**
     * Allocates, and registers another chunk if there is no room. Registration blocks in a system call, so a polling
     * thread must not call this method.
     *
     * @param bytes 0 up to the largest block
     * @return a buffer of at least that capacity, owned by the caller
     * @throws RdmaMemoryExhaustedException if the budget does not allow another chunk
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects the registration; the arena stays usable
     */
    public MessageBuffer allocate(int bytes) {
        while (true) {
            MessageBuffer buffer = tryAllocate(bytes);
            if (buffer != null) {
                return buffer;
            }
            grow(bytes);
        }
    }

    /**
     * Makes room for a block: registers a chunk unless one already has room. Blocks in a system call. At the budget's
     * limit it first releases free chunks that are too small.
     *
     * @param bytes 0 up to the largest block
     * @throws RdmaMemoryExhaustedException if the budget does not allow another chunk
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects the registration; the arena stays usable
     */
    public void grow(int bytes) {
        checkSize(bytes);
        synchronized (growth) {
            if (hasRoom(bytes)) {
                return;
            }
            BuddyChunk chunk = new BuddyChunk(this, register(config.chunkBytesFor(bytes)), config.minBlockBytes());
            synchronized (lock) {
                chunks.add(chunk);
            }
        }
    }

    private boolean hasRoom(int bytes) {
        synchronized (lock) {
            if (closed) {
                throw new RdmaException("The arena is closed: allocate before its owner closes.");
            }
            return chunks.stream().anyMatch(chunk -> chunk.allocator().fits(bytes));
        }
    }

    private RegisteredMemory register(int bytes) {
        try {
            return RegisteredMemory.register(domain, budget, pages, bytes, ACCESS);
        } catch (RdmaMemoryExhaustedException full) {
            if (releaseUnused(0) == 0) {
                throw full;
            }
            return RegisteredMemory.register(domain, budget, pages, bytes, ACCESS);
        }
    }

    /**
     * Releases the chunks that are entirely free, except the smallest of them. Blocks in system calls.
     *
     * @return number of bytes released
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if a deregistration fails; that chunk's memory is never used
     *     again
     */
    public long trim() {
        synchronized (growth) {
            return releaseUnused(1);
        }
    }

    private long releaseUnused(int keep) {
        List<BuddyChunk> unused;
        synchronized (lock) {
            unused = chunks.stream()
                    .filter(chunk -> chunk.allocator().isUnused())
                    .sorted(Comparator.comparingLong(BuddyChunk::byteSize))
                    .skip(keep)
                    .toList();
            chunks.removeAll(unused);
        }
        RegisteredMemory.releaseAll(unused.stream().map(BuddyChunk::memory).toList());
        return unused.stream().mapToLong(BuddyChunk::byteSize).sum();
    }

    /** Called by a block's {@link RegisteredBlock#free()}. */
    void free(BuddyChunk chunk, int offset) {
        synchronized (lock) {
            if (!closed) {
                chunk.allocator().free(offset);
                blocksInUse--;
            }
        }
    }

    /**
     * Returns the size of the block that holds a message.
     *
     * @param bytes size of the message, 0 up to the largest block
     * @return size of the block in bytes, a power of two
     */
    public int blockBytes(int bytes) {
        checkSize(bytes);
        return config.blockBytesFor(bytes);
    }

    /**
     * Returns the limit of the memory that the arena shares with all other pools of the process.
     *
     * @return a number of bytes
     */
    public long limitBytes() {
        return budget.limitBytes();
    }

    /**
     * Returns the arena's current numbers.
     *
     * @return a snapshot
     */
    public MemoryStatistics statistics() {
        synchronized (lock) {
            long registered = chunks.stream().mapToLong(BuddyChunk::byteSize).sum();
            long used = chunks.stream()
                    .mapToLong(chunk -> chunk.allocator().usedBytes())
                    .sum();
            return new MemoryStatistics(registered, used, chunks.size(), blocksInUse);
        }
    }

    /**
     * Deregisters all chunks, then frees their memory. Buffers in use can be closed as usual, but their content is
     * lost: views of it throw {@link IllegalStateException}. The caller ensures that no work request refers to them. A
     * second call does nothing.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if a deregistration fails; all other chunks are released
     */
    @Override
    public void close() {
        synchronized (growth) {
            RegisteredMemory.releaseAll(retireAll());
        }
    }

    private List<RegisteredMemory> retireAll() {
        synchronized (lock) {
            closed = true;
            blocksInUse = 0;
            List<RegisteredMemory> memories =
                    chunks.stream().map(BuddyChunk::memory).toList();
            chunks.clear();
            return memories;
        }
    }

    private void checkSize(int bytes) {
        if (bytes < 0 || bytes > config.maxBlockBytes()) {
            throw new IllegalArgumentException(
                    "message of " + bytes + " bytes: the arena allocates 0 to " + config.maxBlockBytes());
        }
    }
}
