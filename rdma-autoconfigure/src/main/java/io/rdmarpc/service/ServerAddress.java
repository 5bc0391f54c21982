package io.rdmarpc.service;

/**
 * Address of a target as its configuration states it: the attributes {@code server.address} and {@code server.port} of
 * OpenTelemetry's conventions. It names the group of instances that a client calls, never the instance that runs a call.
 *
 * @param address host name or IP address, or the whole configured text if that names several servers or a registry
 * @param port port of the host, 0 if the address has none
 */
public record ServerAddress(String address, int port) {

    private static final int MAX_PORT = 65_535;
    private static final int MAX_DIGITS = 5;

    /**
     * Splits a configured address.
     *
     * @param configured {@code host:port}, several of them separated by commas, or an address of a registry
     * @return host and port of a single {@code host:port}, otherwise the text without a port
     */
    public static ServerAddress of(String configured) {
        String text = configured.strip();
        int colon = text.lastIndexOf(':');
        int port = colon > 0 && text.indexOf(',') < 0 ? port(text, colon + 1) : 0;
        return new ServerAddress(withoutBrackets(port == 0 ? text : text.substring(0, colon)), port);
    }

    /** Returns the port, 0 if the text is not a port. */
    private static int port(String text, int start) {
        int digits = text.length() - start;
        if (digits < 1 || digits > MAX_DIGITS) {
            return 0;
        }
        int port = 0;
        for (int i = start; i < text.length(); i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return 0;
            }
            port = port * 10 + digit - '0';
        }
        return port > MAX_PORT ? 0 : port;
    }

    private static String withoutBrackets(String host) {
        return host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    }
}
