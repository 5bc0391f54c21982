package io.rdmarpc.async.error;

import io.rdmarpc.verbs.error.RdmaException;

/** The region was closed and its memory must not be used any more. */
public class RdmaRegionClosedException extends RdmaException {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the failure.
     *
     * @param message the region and the next step
     */
    public RdmaRegionClosedException(String message) {
        super(message);
    }
}
