package io.rdmarpc.memory;

import io.rdmarpc.verbs.error.RdmaException;

/**
 * A buffer was used by someone who no longer owns it: it was closed, handed to the engine, or given back already. The
 * buffer itself is unharmed; the code that called has a stale handle.
 */
public final class RdmaBufferStateException extends RdmaException {

    private static final long serialVersionUID = 1L;

    RdmaBufferStateException(String message) {
        super(message);
    }
}
