package io.rdmarpc.benchmarks.table;

/**
 * What a row has to show.
 *
 * @param text as in the table
 * @param test whether the ratio of ours to the probe's, and our value, are good enough
 */
record Goal(String text, Test test) {

    /** Nothing is asked for. */
    static final Goal NONE = new Goal("-", (ratio, ours) -> true);

    /** Looks at two numbers. */
    interface Test {
        boolean isMet(double ratio, double ours);
    }

    static Goal ratioAtMost(double most) {
        return new Goal("ratio <= " + most, (ratio, ours) -> ratio <= most);
    }

    static Goal ratioAtLeast(double least) {
        return new Goal("ratio >= " + least, (ratio, ours) -> ratio >= least);
    }

    static Goal ratioAbove(double limit) {
        return new Goal("ratio > " + limit, (ratio, ours) -> ratio > limit);
    }

    static Goal atLeast(double least, String unit) {
        return new Goal(">= " + least + " " + unit, (ratio, ours) -> ours >= least);
    }

    static Goal below(double limit, String unit) {
        return new Goal("< " + limit + " " + unit, (ratio, ours) -> ours < limit);
    }

    static Goal zero() {
        return new Goal("0", (ratio, ours) -> ours == 0);
    }

    String verdict(double ratio, double ours) {
        if (equals(NONE)) {
            return "-";
        }
        return test.isMet(ratio, ours) ? "met" : "missed";
    }
}
