package io.rdmarpc.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of registered bytes. All pools of a process share one budget, so that their sum stays below {@code
 * rdma.memory.max-size}. A {@linkplain #child(long, String) child} caps a part of it, such as the memory that one
 * session lends. Thread-safe and without locks.
 */
public final class MemoryBudget {

    /** The property that sets a process's limit. */
    public static final String PROPERTY = "rdma.memory.max-size";

    private final long limitBytes;
    private final String property;
    private final @Nullable MemoryBudget parent;
    private final boolean fair;
    private final AtomicLong registeredBytes = new AtomicLong();

    /**
     * Creates the budget of a process.
     *
     * @param limitBytes maximum number of registered bytes, 0 or more
     */
    public MemoryBudget(long limitBytes) {
        this(limitBytes, PROPERTY, null);
    }

    private MemoryBudget(long limitBytes, String property, @Nullable MemoryBudget parent) {
        this(limitBytes, property, parent, false);
    }

    private MemoryBudget(long limitBytes, String property, @Nullable MemoryBudget parent, boolean fair) {
        if (limitBytes < 0) {
            throw new IllegalArgumentException(property + " of " + limitBytes + " bytes: use 0 or more");
        }
        this.limitBytes = limitBytes;
        this.property = property;
        this.parent = parent;
        this.fair = fair;
    }

    /**
     * Creates a child that caps a part of this budget. Bytes reserved by the child count here as well. A reservation
     * must fit both limits.
     *
     * @param childLimitBytes the child's own limit
     * @param childProperty the property that raises it, for the exception message
     * @return the child
     */
    public MemoryBudget child(long childLimitBytes, String childProperty) {
        return new MemoryBudget(childLimitBytes, childProperty, this);
    }

    /**
     * Creates a child that is capped at half of the bytes that all other users leave free, so that no child can reserve
     * everything.
     *
     * @param childProperty the property that replaces this limit, for the exception message
     * @return the child; its limit changes whenever other users reserve or release bytes
     */
    public MemoryBudget fairChild(String childProperty) {
        return new MemoryBudget(limitBytes, childProperty, this, true);
    }

    /**
     * Returns the limit.
     *
     * @return a number of bytes; for a {@linkplain #fairChild(String) fair} child, its current limit
     */
    public long limitBytes() {
        MemoryBudget whole = parent;
        if (!fair || whole == null) {
            return limitBytes;
        }
        long ofOthers = Math.max(0, whole.registeredBytes() - registeredBytes());
        return Math.max(0, whole.limitBytes() - ofOthers) / 2;
    }

    /**
     * Returns the number of bytes that are currently reserved, children included.
     *
     * @return a number of bytes
     */
    public long registeredBytes() {
        return registeredBytes.get();
    }

    /** Reserves bytes here and in all parents, or in none of them. */
    void reserve(long bytes) {
        reserveHere(bytes);
        if (parent == null) {
            return;
        }
        try {
            parent.reserve(bytes);
        } catch (RdmaMemoryExhaustedException full) {
            registeredBytes.addAndGet(-bytes);
            throw full;
        }
    }

    private void reserveHere(long bytes) {
        long before;
        do {
            before = registeredBytes.get();
            long limit = limitBytes();
            if (bytes > limit - before) {
                throw new RdmaMemoryExhaustedException(bytes, before, limit, property);
            }
        } while (!registeredBytes.compareAndSet(before, before + bytes));
    }

    void release(long bytes) {
        registeredBytes.addAndGet(-bytes);
        if (parent != null) {
            parent.release(bytes);
        }
    }
}
