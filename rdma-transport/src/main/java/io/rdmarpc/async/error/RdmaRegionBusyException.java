package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;

/**
 * Memory is in the hands of the device: an operation that uses the same bytes has not ended. It counts also after its
 * future was cancelled, until the device says it is done.
 */
public class RdmaRegionBusyException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final RdmaOperation owner;

    /**
     * Creates the failure.
     *
     * @param owner the operation that has the memory
     * @param message which bytes, and what to do next
     */
    public RdmaRegionBusyException(RdmaOperation owner, String message) {
        super(message);
        this.owner = owner;
    }

    /**
     * Returns what has the memory now.
     *
     * @return the operation that has not ended
     */
    public RdmaOperation owner() {
        return owner;
    }
}
