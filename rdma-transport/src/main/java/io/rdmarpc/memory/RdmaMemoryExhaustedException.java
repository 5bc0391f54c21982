package io.rdmarpc.memory;

import io.rdmarpc.verbs.error.RdmaException;

/**
 * Thrown when an allocation would register more memory than the limit allows. Nothing was registered, and registered
 * memory stays usable. The caller can retry after buffers were closed.
 */
public final class RdmaMemoryExhaustedException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final long askedBytes;
    private final long inUseBytes;
    private final long limitBytes;
    private final String property;

    RdmaMemoryExhaustedException(long askedBytes, long inUseBytes, long limitBytes, String property) {
        super("Registering " + ByteCount.of(askedBytes) + " more is over the limit: " + ByteCount.of(inUseBytes)
                + " of " + ByteCount.of(limitBytes) + " are registered. Close message buffers sooner or raise "
                + property + ".");
        this.askedBytes = askedBytes;
        this.inUseBytes = inUseBytes;
        this.limitBytes = limitBytes;
        this.property = property;
    }

    /**
     * Returns the number of bytes that would have been registered.
     *
     * @return a number of bytes
     */
    public long askedBytes() {
        return askedBytes;
    }

    /**
     * Returns the number of bytes that counted against the limit at that moment.
     *
     * @return a number of bytes
     */
    public long inUseBytes() {
        return inUseBytes;
    }

    /**
     * Returns the limit.
     *
     * @return maximum number of registered bytes
     */
    public long limitBytes() {
        return limitBytes;
    }

    /**
     * Returns the property that raises the limit.
     *
     * @return for example {@code rdma.memory.max-size}
     */
    public String property() {
        return property;
    }
}
