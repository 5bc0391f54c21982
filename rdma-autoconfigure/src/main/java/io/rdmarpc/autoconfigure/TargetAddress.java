package io.rdmarpc.autoconfigure;

import io.rdmarpc.verbs.RdmaConfigurationException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads {@code host}, {@code host:port} and {@code [ipv6]:port}. */
final class TargetAddress {

    private static final Pattern FORM =
            Pattern.compile("(?<host>\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]/\\s]+)(:(?<port>\\d{1,5}))?");
    private static final int LARGEST_PORT = 65535;

    private TargetAddress() {}

    /** Addresses divided by commas. */
    static List<InetSocketAddress> parseAll(String target, String text) {
        return Arrays.stream(text.split(",", -1))
                .map(address -> parse(target, address))
                .toList();
    }

    static String text(List<InetSocketAddress> addresses) {
        return addresses.stream()
                .map(address -> address.getHostString() + ":" + address.getPort())
                .collect(Collectors.joining(","));
    }

    /** The host's name is looked up at each connection, not here: it may move, or not be there yet. */
    static InetSocketAddress parse(String target, String text) {
        Matcher matcher = FORM.matcher(text.strip());
        if (!matcher.matches()) {
            throw invalid(target, text);
        }
        int port = matcher.group("port") == null
                ? RdmaServerProperties.DEFAULT_PORT
                : Integer.parseInt(matcher.group("port"));
        if (port < 1 || port > LARGEST_PORT) {
            throw invalid(target, text);
        }
        return InetSocketAddress.createUnresolved(matcher.group("host").replaceAll("[\\[\\]]", ""), port);
    }

    private static RdmaConfigurationException invalid(String target, String text) {
        return new RdmaConfigurationException(
                "client.targets." + target + ".address",
                text,
                "it is not an address of the form host:port",
                "Write it as orders.example.com:7471, 10.0.0.1:7471 or [fd00::1]:7471");
    }
}
