package io.rdmarpc.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Replaces what tells who and where by what kind it is: addresses, GUIDs and names. The same value becomes the same word
 * each time, so that it can still be seen which ones are equal.
 */
final class Redaction {

    private static final String IPV4 = "\\d{1,3}(?:\\.\\d{1,3}){3}";
    private static final Pattern ADDRESS = Pattern.compile(
            "(?<![\\w.:])(?:(?:[0-9a-fA-F]{0,4}:){2,7}(?:" + IPV4 + "|[0-9a-fA-F]{1,4}|(?<=::))|" + IPV4 + ")(?!\\w)");
    private static final Pattern GUID = Pattern.compile("[0-9a-fA-F]{4}(?::[0-9a-fA-F]{4}){3}");
    private static final Pattern MAC = Pattern.compile("[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5}");

    /** Nobody's: zeros, and what every host has. */
    private static final Pattern KEPT = Pattern.compile("[0:.]*|127\\.0\\.0\\.1|::1|::ffff:127\\.0\\.0\\.1");

    /** Looks like an address where the vendor counts to four. */
    private static final String FIRMWARE = "fw_ver";

    private static final int SHORTEST_NAME = 3;

    private final Map<String, String> words = new LinkedHashMap<>();
    private final List<Name> names;

    /**
     * What is called by a name.
     *
     * @param kind what it becomes
     * @param text the name
     */
    record Name(String kind, String text) {}

    Redaction(List<Name> names) {
        this.names = names.stream()
                .filter(name -> name.text().length() >= SHORTEST_NAME
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
        String hidden = ADDRESS.matcher(line).replaceAll(found -> Matcher.quoteReplacement(word(found.group())));
        for (Name name : names) {
            hidden = hidden.replaceAll(
                    "(?<!\\w)" + Pattern.quote(name.text()) + "(?!\\w)",
                    Matcher.quoteReplacement("<" + name.kind() + ">"));
        }
        return hidden;
    }

    private String word(String address) {
        return KEPT.matcher(address).matches()
                ? address
                : words.computeIfAbsent(address, each -> "<" + kind(each) + " " + (words.size() + 1) + ">");
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
