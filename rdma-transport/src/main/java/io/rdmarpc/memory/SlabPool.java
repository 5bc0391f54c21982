package io.rdmarpc.memory;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Registered blocks of one small size, for messages that fit a packet. Each block begins at a cache line and has {@link
 * RegisteredBlock#HEADROOM_BYTES} for the packet's header before its payload. The device may write to it, peers may
 * not: the access is {@link AccessFlag#LOCAL_WRITE}.
 *
 * <p>Thread-safe. Allocating and freeing use no locks and allocate only a buffer's handle. The block freed last is used
 * first, while it is in the cache. Only {@link #allocate} and {@link #grow} block, when they register another slab.
 */
public final class SlabPool implements AutoCloseable {

    /*
     * The free list is a Treiber stack over block indices. Its head holds a change count next to the index. A
     * compare-and-set therefore fails if the same block has returned to the top in between (the ABA problem):
     *
     *   63                            24 23            0
     *   +-------------------------------+---------------+
     *   |        change count           |  block index  |
     *   +-------------------------------+---------------+
     */
    private static final int INDEX_BITS = 24;
    private static final int INDEX_MASK = (1 << INDEX_BITS) - 1;
    private static final int EMPTY = INDEX_MASK;
    private static final int CLOSED = INDEX_MASK - 1;
    private static final int MAX_BLOCKS = INDEX_MASK - 1;

    private static final int CACHE_LINE_BYTES = 64;
    private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.LOCAL_WRITE);

    private final ProtectionDomain domain;
    private final MemoryBudget budget;
    private final int payloadBytes;
    private final int strideBytes;
    private final int blocksPerSlab;
    private final PageSource pages;

    private final AtomicLong head = new AtomicLong(EMPTY);

    /** All blocks by index; replaced by a longer copy when the pool grows. */
    private volatile SlabBlock[] blocks = {};

    /** Held by one thread at a time while it registers or releases slabs; guards the fields below. */
    private final Object growth = new Object();

    private final List<RegisteredMemory> slabs = new ArrayList<>();

    /**
     * Creates an empty pool, which has registered nothing yet. Call {@link #grow} to register its first slab in
     * advance.
     *
     * @param domain registers the slabs; stays open until the pool is closed
     * @param budget limits the registered bytes
     * @param payloadBytes number of payload bytes of each block, at least 1
     * @param blocksPerSlab number of blocks registered at a time, at least 1
     */
    public SlabPool(ProtectionDomain domain, MemoryBudget budget, int payloadBytes, int blocksPerSlab) {
        this(domain, budget, payloadBytes, blocksPerSlab, PageSource.ORDINARY);
    }

    /**
     * Creates an empty pool on memory of the given source.
     *
     * @param domain registers the slabs; stays open until the pool is closed
     * @param budget limits the registered bytes
     * @param payloadBytes number of payload bytes of each block, at least 1
     * @param blocksPerSlab number of blocks registered at a time, at least 1
     * @param pages allocates the memory of the slabs
     */
    public SlabPool(
            ProtectionDomain domain, MemoryBudget budget, int payloadBytes, int blocksPerSlab, PageSource pages) {
        if (payloadBytes < 1 || payloadBytes > 1 << 30 || blocksPerSlab < 1 || blocksPerSlab > MAX_BLOCKS) {
            throw new IllegalArgumentException("slabs of " + blocksPerSlab + " blocks of " + payloadBytes
                    + " bytes: use 1 byte to 1 GiB, and a number of blocks from 1 to " + MAX_BLOCKS);
        }
        this.domain = domain;
        this.budget = budget;
        this.payloadBytes = payloadBytes;
        this.strideBytes = (RegisteredBlock.HEADROOM_BYTES + payloadBytes + CACHE_LINE_BYTES - 1) & -CACHE_LINE_BYTES;
        this.blocksPerSlab = blocksPerSlab;
        this.pages = pages;
    }

    /**
     * Returns whether a block holds a packet and this pool's device may read it. The block must belong to this pool or
     * to another pool of the same protection domain. Thread-safe.
     *
     * @param block a block of any pool
     * @return false for blocks of other kinds and of other devices
     */
    @SuppressWarnings("ReferenceEquality") // identity of the domain
    public boolean suits(RegisteredBlock block) {
        return block instanceof SlabBlock slabBlock && slabBlock.pool().domain == domain;
    }

    /**
     * Returns the size of a block's payload.
     *
     * @return bytes
     */
    public int payloadBytes() {
        return payloadBytes;
    }

    /**
     * Allocates from registered memory; never blocks.
     *
     * @return a buffer owned by the caller; null if all blocks are in use or the pool is closed
     */
    public @Nullable MessageBuffer tryAllocate() {
        RegisteredBlock block = tryTakeBlock();
        return block == null ? null : MessageBuffer.of(block, 0);
    }

    /**
     * Like {@link #tryAllocate}, but returns the block without a handle. For the engine.
     *
     * @return a block freed by the caller; null if all are in use or the pool is closed
     */
    public @Nullable RegisteredBlock tryTakeBlock() {
        SlabBlock block = pop();
        if (block != null) {
            block.handOut();
        }
        return block;
    }

    /**
     * Allocates, and registers another slab if all blocks are in use. Registration blocks in a system call, so a
     * polling thread must not call this method.
     *
     * @return a buffer owned by the caller
     * @throws RdmaMemoryExhaustedException if the budget does not allow another slab
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects the registration; the pool stays usable
     */
    public MessageBuffer allocate() {
        return MessageBuffer.of(takeBlock(), 0);
    }

    /**
     * Like {@link #allocate}, but returns the block without a handle. For the engine.
     *
     * @return a block freed by the caller
     * @throws RdmaMemoryExhaustedException if the budget does not allow another slab
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects the registration; the pool stays usable
     */
    public RegisteredBlock takeBlock() {
        while (true) {
            RegisteredBlock block = tryTakeBlock();
            if (block != null) {
                return block;
            }
            grow();
        }
    }

    /**
     * Registers another slab, unless a block has become free. Blocks in a system call.
     *
     * @throws RdmaMemoryExhaustedException if the budget does not allow another slab
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if the device rejects the registration; the pool stays usable
     */
    public void grow() {
        synchronized (growth) {
            switch (top()) {
                case CLOSED -> throw new RdmaException("The pool is closed: allocate before its owner closes.");
                case EMPTY -> addSlab();
                default -> {}
            }
        }
    }

    private void addSlab() {
        SlabBlock[] before = blocks;
        int count = Math.min(blocksPerSlab, MAX_BLOCKS - before.length);
        if (count == 0) {
            throw new RdmaException("The pool has its maximum of " + before.length + " blocks: close buffers.");
        }
        RegisteredMemory slab = RegisteredMemory.register(domain, budget, pages, (long) count * strideBytes, ACCESS);
        slabs.add(slab);
        SlabBlock[] after = Arrays.copyOf(before, before.length + count);
        for (int i = 0; i < count; i++) {
            after[before.length + i] = block(before.length + i, slab, i);
        }
        blocks = after;
        pushAll(after, before.length);
    }

    private SlabBlock block(int index, RegisteredMemory slab, int position) {
        long offset = (long) position * strideBytes;
        return new SlabBlock(
                this, index, slab, slab.segment().asSlice(offset, RegisteredBlock.HEADROOM_BYTES + payloadBytes));
    }

    private void pushAll(SlabBlock[] all, int from) {
        for (int i = from; i < all.length - 1; i++) {
            all[i].nextFree(i + 1);
        }
        push(all[from], all[all.length - 1]);
    }

    /** Pushes a linked chain of free blocks onto the stack; does nothing after the pool was closed. */
    void push(SlabBlock first, SlabBlock last) {
        long before;
        do {
            before = head.get();
            if (indexOf(before) == CLOSED) {
                return;
            }
            last.nextFree(indexOf(before));
        } while (!head.compareAndSet(before, successor(before, first.index())));
    }

    private @Nullable SlabBlock pop() {
        while (true) {
            long before = head.get();
            int index = indexOf(before);
            if (index >= CLOSED) {
                return null;
            }
            SlabBlock block = blocks[index];
            if (head.compareAndSet(before, successor(before, block.nextFree()))) {
                return block;
            }
        }
    }

    private int top() {
        return indexOf(head.get());
    }

    private static int indexOf(long head) {
        return (int) head & INDEX_MASK;
    }

    private static long successor(long head, int index) {
        return ((head & ~(long) INDEX_MASK) + (1L << INDEX_BITS)) | index;
    }

    /**
     * Returns the pool's current numbers. Takes time in proportion to the number of blocks.
     *
     * @return a snapshot; approximate while other threads allocate
     */
    public MemoryStatistics statistics() {
        synchronized (growth) {
            long registered =
                    slabs.stream().mapToLong(RegisteredMemory::byteSize).sum();
            int out = slabs.isEmpty() ? 0 : countOut();
            return new MemoryStatistics(registered, (long) out * strideBytes, slabs.size(), out);
        }
    }

    private int countOut() {
        return (int) Arrays.stream(blocks).filter(RegisteredBlock::isInUse).count();
    }

    /**
     * Deregisters all slabs, then frees their memory. Buffers in use can be closed as usual, but their content is lost:
     * views of it throw {@link IllegalStateException}. The caller ensures that no work request refers to them. A second
     * call does nothing.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException if a deregistration fails; all other slabs are released
     */
    @Override
    public void close() {
        synchronized (growth) {
            head.updateAndGet(before -> successor(before, CLOSED));
            List<RegisteredMemory> retired = List.copyOf(slabs);
            slabs.clear();
            RegisteredMemory.releaseAll(retired);
        }
    }
}
