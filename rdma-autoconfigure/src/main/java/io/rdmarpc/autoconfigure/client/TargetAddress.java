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

/** Reads {@code host}, {@code host:port} and {@code [ipv6]:port}. */
final class TargetAddress {

    private static final Pattern FORM =
            Pattern.compile("(?<host>\\[[0-9A-Fa-f:.%]+]|[^:\\[\\]/\\s]+)(:(?<port>\\d{1,5}))?");
    /** A kind of address: letters, then what no host and port has behind the colon. */
    private static final Pattern REGISTRY = Pattern.compile("(?i)[a-z][a-z0-9+.-]*:(?!\\d+\\s*(,|$))[^,]*[a-z/]");

    private static final int LARGEST_PORT = 65535;

    private TargetAddress() {}

    /** Addresses divided by commas. */
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
                "Take out the comma that is too many, or write the address that is missing");
    }

    /** What the settings say, for people: addresses divided by commas, each with its port, or one of a registry. */
    static String text(String target, RdmaClientProperties.Target settings) {
        String given = given(target, settings);
        return isOfRegistry(given) ? given : text(parseAll(target, given));
    }

    private static boolean isOfRegistry(String text) {
        return REGISTRY.matcher(text).lookingAt();
    }

    /** What the settings say, as it stands there. */
    static String given(String target, RdmaClientProperties.Target settings) {
        String address = settings.address();
        if (address != null && !settings.addresses().isEmpty()) {
            throw new RdmaConfigurationException(
                    "client.targets." + target + ".addresses",
                    settings.addresses(),
                    "there is an address, " + address + ", too",
                    "Set one of them");
        }
        return (address != null ? address : String.join(",", settings.addresses())).strip();
    }

    static String text(List<InetSocketAddress> addresses) {
        return addresses.stream()
                .map(address -> address.getHostString() + ":" + address.getPort())
                .collect(Collectors.joining(","));
    }

    /** Addresses of registries need somebody who knows them. */
    static void requireNoRegistry(String target, String text) {
        if (isOfRegistry(text)) {
            throw new RdmaConfigurationException(
                    "client.targets." + target + ".address",
                    text,
                    "nothing here knows addresses of this kind",
                    "Write it as host:port, such as orders.example.com:7471. For discovery: and lb:// add a Spring Cloud registry client, such as"
                            + " spring-cloud-starter-zookeeper-discovery, else a bean of type RdmaTargetResolver");
        }
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
