package io.rdmarpc.memory;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Memory that one peer may READ. Every block has a memory region and key of its own. Its only access right is {@link
 * AccessFlag#REMOTE_READ}: neither the peer nor the local device can write to it.
 *
 * <p><b>Visibility to the peer.</b> The peer can READ a block from the time its owner gets it until the owner frees it.
 * The key becomes invalid then, and the next message in the same memory has another key. New memory is zeroed, and a
 * block is reused only for the same peer. The peer may read at any time while the message is being written. A peer on
 * this host that has mapped the memory ({@code io.rdmarpc.transport.RemoteView}) keeps that mapping until the memory is
 * freed. Therefore each session has a pool and a protection domain of its own. A block must not hold data that its peer
 * must not know.
 *
 * <p>If the device cannot change a key without blocking, the pool registers the memory again on its executor. It does
 * not reuse the block before that.
 *
 * <p>Sizes are rounded up to steps of a quarter between powers of two (64, 80, 96, 112, 128, 160 KiB, ...). This wastes
 * at most a fifth of a block above 64 KiB, and lets messages of similar size share blocks.
 *
 * <p><b>Alternating blocks.</b> The peer has just read the block that was freed last. If the peer is on the same host,
 * the block's cache lines are also in the cache of the peer's processor. A write must first reclaim each line, which
 * makes a copy of 1 MiB take three times as long. Of two free blocks the pool therefore uses the one that was freed
 * earlier. If a single block of 128 KiB to 4 MiB is reused repeatedly, the pool registers a second one to alternate
 * with.
 *
 * <p>The peer may still have a view of a block when its owner frees it ({@code io.rdmarpc.transport.RemoteView}). The
 * pool does not reuse that block until the peer has released the view.
 *
 * <p>Thread-safe. {@link #allocate} may register memory, and {@link #trim}, {@link #close} and {@link #revoke}
 * deregister it: they block in system calls. Freeing a block does not block.
 */
public final class LendingPool implements AutoCloseable {

    private static final int MIN_BLOCK_BYTES = 64 << 10;
    private static final int MAX_BLOCK_BYTES = 1 << 30;

    /** A free block larger than the request by more than this factor is kept for a larger message. */
    private static final int MAX_WASTE_FACTOR = 2;

    /**
     * Blocks of this size up to {@link #MAX_TWIN_BYTES} fit a core's private cache once, but leave little room in it.
     */
    private static final int MIN_TWIN_BYTES = 128 << 10;

    private static final int MAX_TWIN_BYTES = 4 << 20;

    /** Number of consecutive uses of the only free block after which a second block is worth its memory. */
    private static final int SAME_USES = 16;

    private static final System.Logger LOG = System.getLogger(LendingPool.class.getName());
    private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.REMOTE_READ);

    private final ProtectionDomain domain;
    private final MemoryBudget budget;
    private final PageSource pages;
    private final Executor blocking;

    /** Held for a few steps, never in a system call; guards the fields below. */
    private final Object lock = new Object();

    private final TreeMap<Integer, Deque<LendingBlock>> free = new TreeMap<>();
    private final Set<LendingBlock> lent = new HashSet<>();

    /** Lent blocks that were freed while the peer had a view of them. */
    private final List<LendingBlock> viewed = new ArrayList<>();

    /** Lent blocks that were freed and whose key the device still accepts; see {@link #registerStale}. */
    private final Deque<LendingBlock> stale = new ArrayDeque<>();

    /** Size of the block that was used last as the only free one. {@code sameUses} counts how often in a row. */
    private int sameBytes;

    private int sameUses;
    private volatile boolean wantsTwin;
    private long freeBytes;
    private long lentBytes;
    private boolean registersStale;
    private boolean retired;
    private boolean closed;

    /**
     * Creates an empty pool.
     *
     * @param domain registers the blocks; stays open until the pool is closed and all its blocks are freed
     * @param budget limits the registered bytes; a {@linkplain MemoryBudget#child(long, String) child} caps this peer's
     *     share
     * @param blocking registers freed blocks again if the device cannot change their keys without blocking
     */
    public LendingPool(ProtectionDomain domain, MemoryBudget budget, Executor blocking) {
        this(domain, budget, PageSource.ORDINARY, blocking);
    }

    /**
     * Creates an empty pool.
     *
     * @param domain registers the blocks; stays open until the pool is closed and all its blocks are freed
     * @param budget limits the registered bytes
     * @param pages allocates the memory of the blocks
     * @param blocking registers freed blocks again if the device cannot change their keys without blocking
     */
    public LendingPool(ProtectionDomain domain, MemoryBudget budget, PageSource pages, Executor blocking) {
        this.domain = domain;
        this.budget = budget;
        this.pages = pages;
        this.blocking = blocking;
    }

    /**
     * Allocates a free block of suitable size; never blocks longer than a short lock.
     *
     * @param bytes 0 to 1 GiB
     * @return a buffer of at least that capacity, owned by the caller; null if none is free or the pool is closed
     */
    public @Nullable MessageBuffer tryAllocate(int bytes) {
        int size = roundUp(bytes);
        LendingBlock block = takeFree(size, (long) MAX_WASTE_FACTOR * size);
        if (block == null) {
            return null;
        }
        block.becomeStale(bytes);
        return MessageBuffer.of(block, 0);
    }

    /**
     * Allocates the free block that fits best, and registers a block if no free one is close enough in size.
     * Registration blocks in a system call, so a polling thread must not call this method. At the budget's limit it
     * uses any larger free block, or releases smaller ones.
     *
     * @param bytes 0 to 1 GiB
     * @return a buffer of at least that capacity, owned by the caller
     * @throws RdmaMemoryExhaustedException if the budget does not allow another block
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects the registration; the pool stays usable
     */
    public MessageBuffer allocate(int bytes) {
        MessageBuffer buffer = tryAllocate(bytes);
        if (wantsTwin) {
            addTwin();
        }
        return buffer != null ? buffer : MessageBuffer.of(register(roundUp(bytes)), 0);
    }

    private LendingBlock register(int size) {
        checkOpen();
        try {
            return adopt(RegisteredMemory.register(domain, budget, pages, size, ACCESS));
        } catch (RdmaMemoryExhaustedException full) {
            registerStale();
            LendingBlock larger = takeFree(size, Long.MAX_VALUE);
            if (larger != null) {
                return larger;
            }
            if (trim(0) == 0) {
                throw full;
            }
            return adopt(RegisteredMemory.register(domain, budget, pages, size, ACCESS));
        }
    }

    private LendingBlock adopt(RegisteredMemory region) {
        LendingBlock block = new LendingBlock(this, region);
        synchronized (lock) {
            if (!retired) {
                lend(block);
                return block;
            }
        }
        region.release();
        throw closedPool();
    }

    private @Nullable LendingBlock takeFree(int atLeastBytes, long atMostBytes) {
        synchronized (lock) {
            if (retired) {
                return null;
            }
            LendingBlock block = findFree(atLeastBytes, atMostBytes);
            if (block == null && !viewed.isEmpty()) {
                freeUnviewed();
                block = findFree(atLeastBytes, atMostBytes);
            }
            if (block != null) {
                lend(block);
            }
            return block;
        }
    }

    private @Nullable LendingBlock findFree(int atLeastBytes, long atMostBytes) {
        Map.Entry<Integer, Deque<LendingBlock>> best = free.ceilingEntry(atLeastBytes);
        if (best == null || best.getKey() > atMostBytes) {
            return null;
        }
        return best.getValue().size() > 1 ? removeSecond(best.getValue()) : removeOnly(best);
    }

    private void freeUnviewed() {
        for (int i = viewed.size() - 1; i >= 0; i--) {
            LendingBlock block = viewed.get(i);
            if (!block.region().isViewed()) {
                viewed.remove(i);
                takeBack(block);
                putFree(block);
            }
        }
    }

    /**
     * Frees the viewed and stale blocks, whose owners freed them before the pool was closed. Their memory is not
     * reused, so the peer's view of it does not change.
     */
    private void freeViewedAndStale() {
        viewed.addAll(stale);
        stale.clear();
        viewed.forEach(block -> {
            takeBack(block);
            putFree(block);
        });
        viewed.clear();
    }

    private void takeBack(LendingBlock block) {
        lent.remove(block);
        lentBytes -= block.capacityBytes();
    }

    /** Skips the block that was freed last; see the class description. */
    private LendingBlock removeSecond(Deque<LendingBlock> ofOneSize) {
        LendingBlock last = ofOneSize.pop();
        LendingBlock block = ofOneSize.pop();
        ofOneSize.push(last);
        freeBytes -= block.capacityBytes();
        sameUses = 0;
        return block;
    }

    private LendingBlock removeOnly(Map.Entry<Integer, Deque<LendingBlock>> ofOneSize) {
        int size = ofOneSize.getKey();
        sameUses = size == sameBytes ? sameUses + 1 : 1;
        sameBytes = size;
        wantsTwin = sameUses == SAME_USES && size >= MIN_TWIN_BYTES && size <= MAX_TWIN_BYTES;
        return removeFree(ofOneSize);
    }

    /**
     * Returns whether a single block is reused repeatedly and should alternate with a second one. Thread-safe.
     *
     * @return true until {@link #addTwin}
     */
    public boolean wantsTwin() {
        return wantsTwin;
    }

    /**
     * Registers a second block for a block that {@linkplain #wantsTwin needs} one. Without memory for it the pool
     * continues with one block.
     */
    public void addTwin() {
        int size;
        synchronized (lock) {
            size = wantsTwin && !closed ? sameBytes : 0;
            wantsTwin = false;
        }
        if (size == 0) {
            return;
        }
        try {
            addFree(new LendingBlock(this, RegisteredMemory.register(domain, budget, pages, size, ACCESS)));
        } catch (RdmaException e) {
            LOG.log(System.Logger.Level.DEBUG, "No memory for a second block of {0} bytes; continuing with one", size);
        } catch (RuntimeException | Error e) {
            // The failure does not concern the caller, which has its block.
            LOG.log(System.Logger.Level.WARNING, "Cannot register a second block of " + size + " bytes", e);
        }
    }

    private void addFree(LendingBlock block) {
        synchronized (lock) {
            if (!closed) {
                putFree(block);
                return;
            }
        }
        block.region().release();
    }

    private void putFree(LendingBlock block) {
        free.computeIfAbsent(block.capacityBytes(), _ -> new ArrayDeque<>()).push(block);
        freeBytes += block.capacityBytes();
    }

    private void lend(LendingBlock block) {
        lent.add(block);
        lentBytes += block.capacityBytes();
        block.handOut();
    }

    private LendingBlock removeFree(Map.Entry<Integer, Deque<LendingBlock>> ofOneSize) {
        LendingBlock block = ofOneSize.getValue().pop();
        freeBytes -= block.capacityBytes();
        if (ofOneSize.getValue().isEmpty()) {
            free.remove(ofOneSize.getKey());
        }
        return block;
    }

    /**
     * Returns whether a block belongs to this pool, so that its peer may see all earlier content of the block.
     * Thread-safe.
     *
     * @param block a block of any pool
     * @return false for a block of another pool
     */
    public boolean owns(RegisteredBlock block) {
        return block instanceof LendingBlock lendingBlock && lendingBlock.pool() == this;
    }

    /** Called by a block's {@link RegisteredBlock#free()}. The block's key is invalid before the block is reused. */
    void giveBack(LendingBlock block) {
        boolean renewed = block.renewKey();
        boolean ended;
        boolean begins = false;
        synchronized (lock) {
            ended = closed;
            if (ended) {
                takeBack(block);
            } else if (renewed) {
                putBack(block);
            } else {
                stale.add(block);
                begins = !registersStale;
                registersStale = true;
            }
        }
        if (ended) {
            block.region().release();
        } else if (begins) {
            registerStaleLater();
        }
    }

    /** Frees a block with a new key, unless the peer still has a view of its memory. */
    private void putBack(LendingBlock block) {
        if (block.region().isViewed()) {
            viewed.add(block);
        } else {
            takeBack(block);
            putFree(block);
        }
    }

    private void registerStaleLater() {
        try {
            blocking.execute(this::registerStale);
        } catch (RejectedExecutionException e) {
            // The runtime is closing. It closes this pool next, which deregisters the blocks.
            synchronized (lock) {
                registersStale = false;
            }
        }
    }

    /** Registers freed blocks again to invalidate their keys. Blocks in system calls. */
    private void registerStale() {
        for (LendingBlock block = nextStale(); block != null; block = nextStale()) {
            try {
                registerAgain(block);
            } catch (RdmaException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "Cannot register a block of {0} bytes again, so it is released: {1}",
                        block.capacityBytes(),
                        e.getMessage());
            }
        }
    }

    private @Nullable LendingBlock nextStale() {
        synchronized (lock) {
            LendingBlock next = stale.poll();
            registersStale = next != null;
            return next;
        }
    }

    private void registerAgain(LendingBlock block) {
        boolean done = false;
        try {
            block.registerAgain(domain);
            done = true;
        } finally {
            if (!keep(block, done)) {
                block.region().release();
            }
        }
    }

    private boolean keep(LendingBlock block, boolean registered) {
        synchronized (lock) {
            boolean keeps = registered && !closed;
            if (keeps) {
                putBack(block);
            } else {
                takeBack(block);
            }
            return keeps;
        }
    }

    /**
     * Deregisters free blocks and frees their memory, the largest first. Blocks in system calls.
     *
     * @param keepBytes number of bytes of free memory that may stay
     * @return number of bytes released
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if a deregistration fails; that block's memory is never used
     *     again
     */
    public long trim(long keepBytes) {
        List<RegisteredMemory> surplus = removeSurplus(keepBytes);
        RegisteredMemory.releaseAll(surplus);
        return surplus.stream().mapToLong(RegisteredMemory::byteSize).sum();
    }

    private List<RegisteredMemory> removeSurplus(long keepBytes) {
        List<RegisteredMemory> surplus = new ArrayList<>();
        synchronized (lock) {
            sameUses = 0;
            freeUnviewed();
            while (freeBytes > keepBytes && !free.isEmpty()) {
                surplus.add(removeFree(free.lastEntry()).region());
            }
        }
        return surplus;
    }

    /**
     * Returns the pool's current numbers.
     *
     * @return a snapshot; after {@link #close} it counts the blocks that are still in use
     */
    public MemoryStatistics statistics() {
        synchronized (lock) {
            int blocks =
                    lent.size() + free.values().stream().mapToInt(Deque::size).sum();
            return new MemoryStatistics(freeBytes + lentBytes, lentBytes, blocks, lent.size());
        }
    }

    /**
     * Stops allocating because the session is ending. Freed memory keeps its content while the peer can still see it.
     * {@link #close} or {@link #revoke} follows. Blocks no longer than a short lock.
     */
    public void retire() {
        synchronized (lock) {
            retired = true;
        }
    }

    /**
     * Ends lending gracefully. Free blocks are deregistered and their memory is freed now. A block in use is
     * deregistered when its owner frees it, which blocks that thread in a system call. A second call does nothing.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if a deregistration fails; all other blocks are released
     */
    @Override
    public void close() {
        synchronized (lock) {
            retired = true;
            closed = true;
            freeViewedAndStale();
        }
        trim(0);
    }

    /**
     * Ends lending at once, because the session has failed. When this method returns, every key is invalid, including
     * the keys of blocks in use. Those blocks keep their memory until they are freed, so that their owners are not
     * affected. The caller moves the queue pairs to the error state first, because no local work request may refer to
     * the blocks any more. A second call does nothing.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if a deregistration fails, which leaves that key valid; all
     *     other keys are invalid
     */
    public void revoke() {
        List<RegisteredMemory> out;
        synchronized (lock) {
            retired = true;
            closed = true;
            freeViewedAndStale();
            out = lent.stream().map(LendingBlock::region).toList();
        }
        try {
            RegisteredMemory.deregisterAll(out);
        } finally {
            trim(0);
        }
    }

    private void checkOpen() {
        synchronized (lock) {
            if (retired) {
                throw closedPool();
            }
        }
    }

    private static RdmaException closedPool() {
        return new RdmaException("The lending pool is closed because its session has ended.");
    }

    static int roundUp(int bytes) {
        if (bytes < 0 || bytes > MAX_BLOCK_BYTES) {
            throw new IllegalArgumentException("message of " + bytes + " bytes: the pool lends 0 to 1 GiB");
        }
        if (bytes <= MIN_BLOCK_BYTES) {
            return MIN_BLOCK_BYTES;
        }
        int step = Integer.highestOneBit(bytes - 1) >>> 2;
        return (bytes + step - 1) & -step;
    }
}
