package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;

/**
 * The device uses the memory: an operation on the same bytes has not ended. An operation whose future was cancelled
 * still uses its bytes until the device has completed it.
 */
public class RdmaRegionBusyException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final RdmaOperation owner;

    /**
     * Creates the failure.
     *
     * @param owner the operation that uses the memory
     * @param message the bytes and the next step
     */
    public RdmaRegionBusyException(RdmaOperation owner, String message) {
        super(message);
        this.owner = owner;
    }

    /**
     * Returns the operation that uses the memory.
     *
     * @return the operation that has not ended
     */
    public RdmaOperation owner() {
        return owner;
    }
}
