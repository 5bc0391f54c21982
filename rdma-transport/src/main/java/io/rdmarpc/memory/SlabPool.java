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
 * Registered blocks of one small size, for messages that fit a packet: each has {@link RegisteredBlock#HEADROOM_BYTES}
 * for the packet's header before its payload, and begins at a cache line. The device may write here, peers may not: the
 * access is {@link AccessFlag#LOCAL_WRITE}.
 *
 * <p>Any thread. Taking and freeing use no locks and no memory but a buffer's handle; the block freed last is taken
 * first, while it is in the cache. Only {@link #allocate} and {@link #grow} block, when they register another slab.
 */
public final class SlabPool implements AutoCloseable {

    /*
     * The free list is a Treiber stack over block indices. Its head holds a change count beside the index, so that a
     * compare-and-set fails when the same block came back to the top in between (the ABA problem):
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

    /** Held while slabs are made and released, by one thread at a time; guards what follows. */
    private final Object growth = new Object();

    private final List<RegisteredMemory> slabs = new ArrayList<>();

    /**
     * Creates an empty pool. It registers nothing yet: call {@link #grow} to start warm.
     *
     * @param domain where its slabs are registered; stays open until the pool is closed
     * @param budget what it may register
     * @param payloadBytes payload of each block, at least 1
     * @param blocksPerSlab blocks registered at a time, at least 1
     */
    public SlabPool(ProtectionDomain domain, MemoryBudget budget, int payloadBytes, int blocksPerSlab) {
        this(domain, budget, payloadBytes, blocksPerSlab, PageSource.ORDINARY);
    }

    /**
     * Makes an empty pool of memory from somewhere else.
     *
     * @param domain where its slabs are registered; stays open until the pool is closed
     * @param budget what it may register
     * @param payloadBytes payload of each block, at least 1
     * @param blocksPerSlab blocks registered at a time, at least 1
     * @param pages where a slab's memory comes from
     */
    public SlabPool(
            ProtectionDomain domain, MemoryBudget budget, int payloadBytes, int blocksPerSlab, PageSource pages) {
        if (payloadBytes < 1 || payloadBytes > 1 << 30 || blocksPerSlab < 1 || blocksPerSlab > MAX_BLOCKS) {
            throw new IllegalArgumentException("slabs of " + blocksPerSlab + " blocks of " + payloadBytes
                    + " bytes: both must be at least 1, the blocks at most " + MAX_BLOCKS);
        }
        this.domain = domain;
        this.budget = budget;
        this.payloadBytes = payloadBytes;
        this.strideBytes = (RegisteredBlock.HEADROOM_BYTES + payloadBytes + CACHE_LINE_BYTES - 1) & -CACHE_LINE_BYTES;
        this.blocksPerSlab = blocksPerSlab;
        this.pages = pages;
    }

    /**
     * Tells whether a block is a packet's, and the device of this pool may read it: it is of this pool or of another one of
     * the same protection domain. Any thread.
     *
     * @param block a block of any pool
     * @return false for blocks of other kinds and of other devices
     */
    @SuppressWarnings("ReferenceEquality") // that very domain
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
     * Allocates from what is registered already; never blocks.
     *
     * @return a buffer owned by the caller, or null when all blocks are out or the pool is closed
     */
    public @Nullable MessageBuffer tryAllocate() {
        RegisteredBlock block = tryTakeBlock();
        return block == null ? null : MessageBuffer.of(block, 0);
    }

    /**
     * Like {@link #tryAllocate}, without a handle; for the engine.
     *
     * @return a block freed by the caller, or null when all are out or the pool is closed
     */
    public @Nullable RegisteredBlock tryTakeBlock() {
        SlabBlock block = pop();
        if (block != null) {
            block.handOut();
        }
        return block;
    }

    /**
     * Allocates, and grows when all blocks are out: then this blocks in a system call, not for a polling thread.
     *
     * @return a buffer owned by the caller
     * @throws RdmaMemoryExhaustedException when the budget does not allow another slab
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses; the pool stays usable
     */
    public MessageBuffer allocate() {
        return MessageBuffer.of(takeBlock(), 0);
    }

    /**
     * Like {@link #allocate}, without a handle; for the engine.
     *
     * @return a block freed by the caller
     * @throws RdmaMemoryExhaustedException when the budget does not allow another slab
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses; the pool stays usable
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
     * Registers another slab, unless a block is free by now. Blocks in a system call.
     *
     * @throws RdmaMemoryExhaustedException when the budget does not allow another slab
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when the device refuses; the pool stays usable
     */
    public void grow() {
        synchronized (growth) {
            switch (top()) {
                case CLOSED -> throw new RdmaException("The pool is closed: allocate before closing what owns it.");
                case EMPTY -> addSlab();
                default -> {}
            }
        }
    }

    private void addSlab() {
        SlabBlock[] before = blocks;
        int count = Math.min(blocksPerSlab, MAX_BLOCKS - before.length);
        if (count == 0) {
            throw new RdmaException("The pool has " + before.length + " blocks, the most it can count: close buffers.");
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

    /** Puts a linked chain of free blocks on the stack; nothing happens once the pool is closed. */
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
     * Counts. Takes time in proportion to the number of blocks.
     *
     * @return the numbers of this moment; while others allocate they are approximate
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
        return (int) Arrays.stream(blocks).filter(RegisteredBlock::isOut).count();
    }

    /**
     * Deregisters everything, then frees the memory. Buffers that are still out can be closed as usual, but their content
     * is gone: views of it throw {@link IllegalStateException}. No work request may refer to them any more. A second
     * call does nothing.
     *
     * @throws io.rdmarpc.verbs.error.RdmaVerbsException when a deregistration fails; all others are released
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
