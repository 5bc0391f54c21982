package io.rdmarpc.async;

import io.rdmarpc.verbs.RdmaException;

/** The region was closed: its memory is not for use any more. */
public class RegionClosedException extends RdmaException {

    private static final long serialVersionUID = 1L;

    RegionClosedException(String message) {
        super(message);
    }
}
