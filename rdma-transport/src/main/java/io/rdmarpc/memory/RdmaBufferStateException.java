package io.rdmarpc.memory;

import io.rdmarpc.verbs.error.RdmaException;

/**
 * Thrown when a caller uses a buffer that it no longer owns, because the buffer was closed, handed to the engine, or
 * freed. The buffer itself is not affected; the caller has a stale handle.
 */
public final class RdmaBufferStateException extends RdmaException {

    private static final long serialVersionUID = 1L;

    RdmaBufferStateException(String message) {
        super(message);
    }
}
