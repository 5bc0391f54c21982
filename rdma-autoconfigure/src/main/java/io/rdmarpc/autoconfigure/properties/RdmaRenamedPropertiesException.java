package io.rdmarpc.autoconfigure.properties;

import java.util.List;

/** Properties are set by old names. The message has a line for each, with the old name and the new one. */
public final class RdmaRenamedPropertiesException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    RdmaRenamedPropertiesException(List<String> lines) {
        super(String.join("\n", lines));
    }
}
