package io.rdmarpc.autoconfigure.discovery;

import java.util.Map;

/** Reads the control port from the metadata of an instance. */
final class ControlPortMetadata {

    static final String KEY = "rdma.control-port";

    private static final int LARGEST_PORT = 65535;

    private ControlPortMetadata() {}

    /** Returns the port, or 0 if there is none or it is invalid. */
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
