package io.rdmarpc.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces addresses, GUIDs and names by their kind. Equal values are replaced by equal labels, so that a reader can
 * still see which values are equal.
 */
final class Redaction {

    private static final String IPV4 = "\\d{1,3}(?:\\.\\d{1,3}){3}";
    private static final Pattern ADDRESS = Pattern.compile(
            "(?<![\\w.:])(?:(?:[0-9a-fA-F]{0,4}:){2,7}(?:" + IPV4 + "|[0-9a-fA-F]{1,4}|(?<=::))|" + IPV4 + ")(?!\\w)");
    private static final Pattern GUID = Pattern.compile("[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3}");
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}");

    /** Addresses that identify no host: zeros and the loopback addresses. */
    private static final Pattern KEPT = Pattern.compile("[0:.]*|127\\.0\\.0\\.1|::1|::ffff:127\\.0\\.0\\.1");

    /** Firmware versions with four numbers look like IPv4 addresses. */
    private static final String FIRMWARE = "fw_ver";

    private static final int MIN_NAME_LENGTH = 3;

    private final Map<String, String> labels = new LinkedHashMap<>();
    private final List<Name> names;

    /**
     * A name to replace.
     *
     * @param kind its kind, which replaces it
     * @param text the name
     */
    record Name(String kind, String text) {}

    Redaction(List<Name> names) {
        this.names = names.stream()
                .filter(name -> name.text().length() >= MIN_NAME_LENGTH
                        && !List.of("localhost", "root").contains(name.text()))
                .toList();
    }

    String apply(String text) {
        return text.lines()
                .map(this::line)
                .collect(Collectors.joining(System.lineSeparator(), "", System.lineSeparator()));
    }

    private String line(String line) {
        if (line.strip().startsWith(FIRMWARE)) {
            return line;
        }
        String redacted = ADDRESS.matcher(line).replaceAll(found -> Matcher.quoteReplacement(label(found.group())));
        for (Name name : names) {
            redacted = redacted.replaceAll(
                    "(?<!\\w)" + Pattern.quote(name.text()) + "(?!\\w)",
                    Matcher.quoteReplacement("<" + name.kind() + ">"));
        }
        return redacted;
    }

    private String label(String address) {
        return KEPT.matcher(address).matches()
                ? address
                : labels.computeIfAbsent(address, each -> "<" + kind(each) + " " + (labels.size() + 1) + ">");
    }

    private static String kind(String address) {
        if (GUID.matcher(address).matches()) {
            return "GUID";
        }
        if (MAC.matcher(address).matches()) {
            return "MAC";
        }
        if (address.startsWith("fe80:")) {
            return "link-local";
        }
        return address.contains(".") ? "IPv4" : "IPv6";
    }
}
