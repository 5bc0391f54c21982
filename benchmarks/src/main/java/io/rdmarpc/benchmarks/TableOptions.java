package io.rdmarpc.benchmarks;

import picocli.CommandLine.Option;

/** Options of all that prints a table with goals. */
public final class TableOptions {

    @Option(names = "--strict", description = "exit status 1 when a goal is missed")
    private boolean strict;

    @Option(names = "--commit", hidden = true)
    private String commit = "unknown";

    /** Starts with the defaults. */
    public TableOptions() {}

    /**
     * Returns what is measured, for the report.
     *
     * @return as git describes it
     */
    public String commit() {
        return commit;
    }

    /**
     * Decides how the program ends.
     *
     * @param missed how many goals were
     * @return its exit status
     */
    public int status(long missed) {
        return strict && missed > 0 ? 1 : 0;
    }
}
