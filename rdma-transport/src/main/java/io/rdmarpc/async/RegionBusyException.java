package io.rdmarpc.async;

import io.rdmarpc.verbs.RdmaException;

/**
 * Memory is in the hands of the device: an operation that uses the same bytes has not ended. It counts also after its
 * future was cancelled, until the device says it is done.
 */
public class RegionBusyException extends RdmaException {

    private static final long serialVersionUID = 1L;

    private final RdmaOperation owner;

    RegionBusyException(RdmaOperation owner, String message) {
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
