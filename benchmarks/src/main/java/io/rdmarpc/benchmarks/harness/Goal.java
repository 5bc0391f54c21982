package io.rdmarpc.benchmarks.harness;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bound for a figure, or for its ratio to the peer's figure.
 *
 * @param text such as {@code ratio <= 0.8}, {@code >= 2 M/s} or {@code 0}; {@code -} if there is no goal
 */
record Goal(String text) {

    static final String MISSED = "missed";

    private static final Pattern FORM = Pattern.compile("(ratio )?(<=|>=|<|>|) ?([0-9.]+)( .*)?");

    /** Returns the verdict on the median ratio or the median figure. */
    String verdict(double ratio, double figure) {
        if (text.equals(Comparison.NONE)) {
            return Comparison.NONE;
        }
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a goal: use a form such as \"ratio <= 0.8\", \">= 2 M/s\" or \"0\"");
        }
        double judged = form.group(1) == null ? figure : ratio;
        double bound = Double.parseDouble(form.group(3));
        boolean met = switch (form.group(2)) {
            case "<=" -> judged <= bound;
            case ">=" -> judged >= bound;
            case "<" -> judged < bound;
            case ">" -> judged > bound;
            default -> judged == bound;
        };
        return Double.isNaN(judged) ? "not measured" : met ? "met" : MISSED;
    }
}
