package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.autoconfigure.properties.RdmaServerProperties;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Parses {@code host}, {@code host:port} and {@code [ipv6]:port}. */
final class TargetAddress {

    private static final Pattern FORM =
            Pattern.compile("(?<host>\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]/\\s]+)(:(?<port>\\d{1,5}))?");
    /** Matches a registry address: a scheme of letters, then text that cannot be the port of a {@code host:port}. */
    private static final Pattern REGISTRY = Pattern.compile("(?i)[a-z][a-z0-9+.-]*:(?!\\d+\\s*(,|$))[^,]*[a-z/]");

    private static final int LARGEST_PORT = 65535;

    private TargetAddress() {}

    /** Parses addresses separated by commas. */
    static List<InetSocketAddress> parseAll(String target, String text) {
        String[] addresses = text.split(",", -1);
        for (int i = 0; i < addresses.length && addresses.length > 1; i++) {
            if (addresses[i].isBlank()) {
                throw emptyEntry(target, text, i + 1, addresses.length);
            }
        }
        return Arrays.stream(addresses).map(address -> parse(target, address)).toList();
    }

    private static RdmaConfigurationException emptyEntry(String target, String text, int number, int count) {
        return new RdmaConfigurationException(
                "client.targets." + target + ".address",
                text,
                "address " + number + " of " + count + " is empty",
                "Remove the extra comma, or add the missing address");
    }

    /**
     * Returns the configured addresses for display: separated by commas, each with its port, or a registry address.
     */
    static String text(String target, RdmaClientProperties.Target settings) {
        String configured = configured(target, settings);
        return isOfRegistry(configured) ? configured : text(parseAll(target, configured));
    }

    private static boolean isOfRegistry(String text) {
        return REGISTRY.matcher(text).lookingAt();
    }

    /** Returns the configured addresses as written. */
    static String configured(String target, RdmaClientProperties.Target settings) {
        String address = settings.address();
        if (address != null && !settings.addresses().isEmpty()) {
            throw new RdmaConfigurationException(
                    "client.targets." + target + ".addresses",
                    settings.addresses(),
                    "rdma.client.targets." + target + ".address is also set, to " + address,
                    "Set only one of the two properties");
        }
        return (address != null ? address : String.join(",", settings.addresses())).strip();
    }

    static String text(List<InetSocketAddress> addresses) {
        return addresses.stream()
                .map(address -> address.getHostString() + ":" + address.getPort())
                .collect(Collectors.joining(","));
    }

    /** Rejects a registry address, which only an {@code RdmaTargetResolver} can resolve. */
    static void requireNoRegistry(String target, String text) {
        if (isOfRegistry(text)) {
            throw new RdmaConfigurationException(
                    "client.targets." + target + ".address",
                    text,
                    "no RdmaTargetResolver of this application supports an address of this kind",
                    "Write it as host:port, such as orders.example.com:7471. For discovery: and lb://, add a Spring"
                            + " Cloud registry client, such as spring-cloud-starter-zookeeper-discovery."
                            + " Otherwise define a bean of type RdmaTargetResolver");
        }
    }

    /**
     * Parses one address. Each connection attempt resolves the host name, because its address may change or not exist
     * yet.
     */
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
