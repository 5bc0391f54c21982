package io.rdmarpc.memory;

import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How many bytes may be registered. All pools of a process share one budget, so that their sum stays under
 * {@code rdma.memory.max-size}; a {@linkplain #child(long, String) child} caps a part of it, such as what one session lends.
 * Any thread, without locks.
 */
public final class MemoryBudget {

    /** The setting behind a process's limit. */
    public static final String PROPERTY = "rdma.memory.max-size";

    private final long limitBytes;
    private final String property;
    private final @Nullable MemoryBudget parent;
    private final boolean fair;
    private final AtomicLong registeredBytes = new AtomicLong();

    /**
     * Creates the budget of a process.
     *
     * @param limitBytes the most bytes that may be registered at a time, 0 or more
     */
    public MemoryBudget(long limitBytes) {
        this(limitBytes, PROPERTY, null);
    }

    private MemoryBudget(long limitBytes, String property, @Nullable MemoryBudget parent) {
        this(limitBytes, property, parent, false);
    }

    private MemoryBudget(long limitBytes, String property, @Nullable MemoryBudget parent, boolean fair) {
        if (limitBytes < 0) {
            throw new IllegalArgumentException(property + " of " + limitBytes + " bytes: it must not be negative");
        }
        this.limitBytes = limitBytes;
        this.property = property;
        this.parent = parent;
        this.fair = fair;
    }

    /**
     * Caps a part of this budget. What the child takes counts here as well, and either limit refuses.
     *
     * @param childLimitBytes the part's own limit
     * @param childProperty the setting that raises it, for the message when it is reached
     * @return the part
     */
    public MemoryBudget child(long childLimitBytes, String childProperty) {
        return new MemoryBudget(childLimitBytes, childProperty, this);
    }

    /**
     * Caps a part of this budget by half of what all others leave free, so that no part can take everything.
     *
     * @param childProperty the setting that replaces this limit, for the message when it is reached
     * @return the part; its limit changes with what others take
     */
    public MemoryBudget fairChild(String childProperty) {
        return new MemoryBudget(limitBytes, childProperty, this, true);
    }

    /**
     * Returns the limit.
     *
     * @return bytes; for a {@linkplain #fairChild(String) fair} part, as it is now
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
     * Returns what is taken now, children included.
     *
     * @return bytes
     */
    public long registeredBytes() {
        return registeredBytes.get();
    }

    /** Takes bytes here and in all parents, or nowhere. */
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
