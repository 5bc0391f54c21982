package io.rdmarpc.memory;

import io.rdmarpc.verbs.error.RdmaException;

/**
 * More memory would have to be registered than allowed. Nothing was registered and what is registered stays usable:
 * trying again makes sense once buffers were closed.
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
     * Returns what was asked for.
     *
     * @return bytes that would have been registered
     */
    public long askedBytes() {
        return askedBytes;
    }

    /**
     * Returns what counted against the limit.
     *
     * @return bytes registered at that moment
     */
    public long inUseBytes() {
        return inUseBytes;
    }

    /**
     * Returns the limit.
     *
     * @return the most bytes that may be registered
     */
    public long limitBytes() {
        return limitBytes;
    }

    /**
     * Returns the setting that raises the limit.
     *
     * @return such as {@code rdma.memory.max-size}
     */
    public String property() {
        return property;
    }
}
