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
 * Memory that one peer may READ. Every block is memory of its own with a region and key of its own, and its only right
 * is {@link AccessFlag#REMOTE_READ}: neither the peer nor the own device can write there.
 *
 * <p><b>What the peer can see.</b> The peer can READ a block from the time that its owner gets it until the owner frees it: then its
 * key becomes invalid, and the next message in the same memory has another key. Fresh memory is zeroed, and a block is used again only
 * for the same peer. The peer may look at any time while the message is being written. A peer on this host that has mapped the memory
 * ({@code io.rdmarpc.transport.RemoteView}) keeps that mapping until the memory is freed. So: one pool and one protection domain per
 * session, and nothing in a block that its peer must not know.
 *
 * <p>A device that cannot change a key without blocking registers the memory again, on the executor that the pool was given. The block
 * is not used before that.
 *
 * <p>Sizes are rounded up to steps of a quarter between powers of two (64, 80, 96, 112, 128, 160 KiB, ...), which wastes
 * at most a fifth of a block over 64 KiB and lets messages of similar size share blocks.
 *
 * <p><b>Blocks take turns.</b> The peer has just read the block that was given back last, so its lines are in the cache of the
 * peer's processor too, where both are on one host: writing there takes each line back first, which makes a copy of 1 MiB three
 * times as long. Of two free blocks the one that was given back before the last is taken, and a block of 128 KiB to 4 MiB that is
 * used again and again gets a second one to take turns with.
 *
 * <p>A block that the peer still sees in place when it is given back ({@code io.rdmarpc.transport.RemoteView}) is not used again until
 * the peer does not.
 *
 * <p>Any thread. {@link #allocate} may register and {@link #trim}, {@link #close} and {@link #revoke} deregister: they
 * block in system calls. Freeing a block does not.
 */
public final class LendingPool implements AutoCloseable {

    private static final int MIN_BLOCK_BYTES = 64 << 10;
    private static final int MAX_BLOCK_BYTES = 1 << 30;

    /** A free block this much larger than asked for is kept for a larger message. */
    private static final int MAX_WASTE_FACTOR = 2;

    /** What fits into a processor's own cache once but not together with much else. */
    private static final int MIN_TWIN_BYTES = 128 << 10;

    private static final int MAX_TWIN_BYTES = 4 << 20;

    /** So many messages in the only block, and a second one is worth its memory. */
    private static final int SAME_USES = 16;

    private static final System.Logger LOG = System.getLogger(LendingPool.class.getName());
    private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.REMOTE_READ);

    private final ProtectionDomain domain;
    private final MemoryBudget budget;
    private final PageSource pages;
    private final Executor blocking;

    /** Held for a few steps, never in a system call; guards what follows. */
    private final Object lock = new Object();

    private final TreeMap<Integer, Deque<LendingBlock>> free = new TreeMap<>();
    private final Set<LendingBlock> lent = new HashSet<>();

    /** Those of them that were given back while the peer saw them in place. */
    private final List<LendingBlock> viewed = new ArrayList<>();

    /** Those of them that were given back and whose key the device still knows: {@link #registerStale}. */
    private final Deque<LendingBlock> stale = new ArrayDeque<>();

    /** Size of the block that was used last while it was the only one free, and how often that was so in a row. */
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
     * @param domain where its blocks are registered; stays open until the pool is closed and all its blocks are freed
     * @param budget what it may register: a {@linkplain MemoryBudget#child(long, String) child} to cap this peer's share
     * @param blocking registers blocks again that were freed, where the device cannot change their keys without blocking
     */
    public LendingPool(ProtectionDomain domain, MemoryBudget budget, Executor blocking) {
        this(domain, budget, PageSource.ORDINARY, blocking);
    }

    /**
     * Creates an empty pool.
     *
     * @param domain where its blocks are registered; stays open until the pool is closed and all its blocks are freed
     * @param budget what it may register
     * @param pages where its memory comes from
     * @param blocking registers blocks again that were freed, where the device cannot change their keys without blocking
     */
    public LendingPool(ProtectionDomain domain, MemoryBudget budget, PageSource pages, Executor blocking) {
        this.domain = domain;
        this.budget = budget;
        this.pages = pages;
        this.blocking = blocking;
    }

    /**
     * Allocates a free block of a fitting size; never blocks beyond a short lock.
     *
     * @param bytes 0 to 1 GiB
     * @return a buffer of at least that capacity, owned by the caller, or null when none is free or the pool is closed
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
     * Allocates the free block that fits best, and registers one when none is near: then this blocks in a system call,
     * not for a polling thread. At the budget's limit it takes any larger free block, or gives back smaller ones.
     *
     * @param bytes 0 to 1 GiB
     * @return a buffer of at least that capacity, owned by the caller
     * @throws RdmaMemoryExhaustedException when the budget does not allow another block
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses; the pool stays usable
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

    /** The pool is closed: the owners of these blocks have freed them, and what the peer sees of them stays as it is. */
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

    /** Not the one that was given back last, see the class. */
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
     * Tells whether a block is used again and again that should take turns with a second one. Any thread.
     *
     * @return true until {@link #addTwin}
     */
    public boolean wantsTwin() {
        return wantsTwin;
    }

    /** Registers a second block for one that {@linkplain #wantsTwin wants} it; without memory for it one does, too. */
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
            LOG.log(System.Logger.Level.DEBUG, "there is no memory for a second block of {0} bytes", size);
        } catch (RuntimeException | Error e) {
            // Not the caller's: that one has its block.
            LOG.log(System.Logger.Level.WARNING, "a second block of " + size + " bytes could not be registered", e);
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
     * Tells whether a block is one of this pool, so that its peer may see what was ever in it. Any thread.
     *
     * @param block a block of any pool
     * @return false for another peer's
     */
    public boolean owns(RegisteredBlock block) {
        return block instanceof LendingBlock lendingBlock && lendingBlock.pool() == this;
    }

    /** Called by a block's {@link RegisteredBlock#free()}. The block's key is invalid before the block is used again. */
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

    /** Makes a block with a new key free, unless the peer still sees its memory. */
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
            // The runtime is closing, and closes this pool next, which deregisters the blocks.
            synchronized (lock) {
                registersStale = false;
            }
        }
    }

    /** Blocks in system calls. */
    private void registerStale() {
        for (LendingBlock block = nextStale(); block != null; block = nextStale()) {
            try {
                registerAgain(block);
            } catch (RdmaException e) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a block of {0} bytes cannot be lent again: {1}",
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
     * @param keepBytes how much of the free memory may stay
     * @return bytes released
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when a deregistration fails; that block's memory is never used again
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
     * Counts.
     *
     * @return the numbers of this moment; after {@link #close} those of the blocks still out
     */
    public MemoryStatistics statistics() {
        synchronized (lock) {
            int blocks =
                    lent.size() + free.values().stream().mapToInt(Deque::size).sum();
            return new MemoryStatistics(freeBytes + lentBytes, lentBytes, blocks, lent.size());
        }
    }

    /**
     * Gives no more memory out, for the session is ending: what was freed stays as it was, as far as the peer can still see it.
     * {@link #close} or {@link #revoke} follows. Blocks no longer than a short lock.
     */
    public void retire() {
        synchronized (lock) {
            retired = true;
        }
    }

    /**
     * Ends lending in good order: free blocks are deregistered and their memory is freed now, those that are out when they
     * are freed; that blocks in a system call of the thread which frees them. A second call does nothing.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when a deregistration fails; all others are released
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
     * Ends lending at once because the session is dead: every key is invalid when this returns, also of blocks that are
     * out. Those keep their memory until they are freed, so their owners notice nothing. No own work request may refer
     * to them any more: move the queue pairs to the error state first. A second call does nothing.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when a deregistration fails, which leaves that key valid; all others are
     *     done
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
        return new RdmaException("The lending pool is closed: its session has ended.");
    }

    static int roundUp(int bytes) {
        if (bytes < 0 || bytes > MAX_BLOCK_BYTES) {
            throw new IllegalArgumentException("message of " + bytes + " bytes: 0 to 1 GiB can be lent");
        }
        if (bytes <= MIN_BLOCK_BYTES) {
            return MIN_BLOCK_BYTES;
        }
        int step = Integer.highestOneBit(bytes - 1) >>> 2;
        return (bytes + step - 1) & -step;
    }
}
