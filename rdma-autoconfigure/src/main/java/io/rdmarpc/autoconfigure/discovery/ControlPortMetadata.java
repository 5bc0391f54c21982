package io.rdmarpc.autoconfigure.discovery;

import java.util.Map;

/** How the control port stands in the metadata of an instance. */
final class ControlPortMetadata {

    static final String KEY = "rdma.control-port";

    private static final int LARGEST_PORT = 65535;

    private ControlPortMetadata() {}

    /** Returns the port, 0 when there is none. */
    static int read(Map<String, String> metadata) {
        String text = metadata.getOrDefault(KEY, "");
        try {
            int port = text.isEmpty() ? 0 : Integer.parseInt(text.strip());
            return port > 0 && port <= LARGEST_PORT ? port : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
