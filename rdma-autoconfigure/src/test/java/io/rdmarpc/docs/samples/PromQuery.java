package io.rdmarpc.docs.samples;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The parts of a query that can be compared with scraped series.
 *
 * @param text the query
 */
record PromQuery(String text) {

    private static final Pattern GROUPING = Pattern.compile("(?:by|without|on) *\\(([^)]*)\\)");
    private static final Pattern SELECTOR = Pattern.compile("\\b((?:rdma|rpc)_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+) *(=~|!~|!=|=) *\"([^\"]*)\"");

    /** A series as a query names it. */
    record Selector(String series, List<Condition> conditions) {}

    /** A condition for the value of a label. */
    record Condition(String label, String operator, String value) {

        /** Returns the named values; none if the condition names a variable of the dashboard. */
        List<String> values() {
            return value.startsWith("$")
                    ? List.of()
                    : operator.endsWith("~") ? List.of(value.split("\\|", -1)) : List.of(value);
        }
    }

    List<Selector> selectors() {
        List<Selector> selectors = new ArrayList<>();
        SELECTOR.matcher(GROUPING.matcher(text).replaceAll(" "))
                .results()
                .forEach(found -> selectors.add(new Selector(found.group(1), conditions(found))));
        return selectors;
    }

    private static List<Condition> conditions(MatchResult selector) {
        return selector.group(2) == null
                ? List.of()
                : MATCHER.matcher(selector.group(2))
                        .results()
                        .map(found -> new Condition(found.group(1), found.group(2), found.group(3)))
                        .toList();
    }

    /** Returns the labels by which results are grouped. */
    Set<String> groupedBy() {
        Set<String> labels = new HashSet<>();
        GROUPING.matcher(text)
                .results()
                .flatMap(found -> Stream.of(found.group(1).split(",", -1)))
                .forEach(label -> labels.add(label.strip()));
        return labels;
    }
}
