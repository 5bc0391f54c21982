package io.rdmarpc.benchmarks.goals;

import io.rdmarpc.benchmarks.peer.Peers;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What a setting does: a row of the table.
 *
 * @param setting what is set
 * @param text the calls, and their number that is compared
 * @param without as it is by default
 * @param with the same with the setting
 */
record Effect(String setting, String text, Figure without, Figure with) {

    static final String HEADER =
            "| setting | calls | default, median [least-most] | with the setting, median [least-most] |"
                    + " ratio, median [least-most] | others |\n|---|---|--:|--:|--:|--:|";

    /** The same calls by who has the setting and who has not. */
    static Effect of(String setting, String text, Metric metric, Peers without, Peers with, Task task) {
        return new Effect(setting, text, Figure.of(metric, without, task), Figure.of(metric, with, task));
    }

    List<Need> needs() {
        return Stream.of(without, with)
                .flatMap(figure -> figure.needs().stream())
                .toList();
    }

    String row(Results results) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %s |",
                setting,
                text,
                without.spread(results),
                with.spread(results),
                Numbers.spread(with.ratios(without, results), ""),
                Numbers.percent(results.others(needs())));
    }
}
