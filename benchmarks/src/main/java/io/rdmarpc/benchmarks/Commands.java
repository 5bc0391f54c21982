package io.rdmarpc.benchmarks;

import picocli.CommandLine;

/** Runs a command line: what goes wrong is one sentence, not a stack trace. */
public final class Commands {

    /** Shows the stack trace too. */
    private static final boolean TRACE = System.getenv("RDMA_TRACE") != null;

    private Commands() {}

    /**
     * Runs a command. Of an option that is given twice the last one counts.
     *
     * @param command an object with picocli's annotations
     * @param arguments the words after the program's name
     * @return its exit status, 1 when it failed, 2 for wrong arguments
     */
    public static int run(Object command, String... arguments) {
        return new CommandLine(command)
                // Scripts put their own options first; whoever calls them may say it again, and is meant then.
                .setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, line, parsed) -> explain(failure, line))
                .execute(arguments);
    }

    private static int explain(Exception failure, CommandLine line) {
        String message = failure.getMessage();
        line.getErr().println(message == null ? failure.toString() : message);
        if (TRACE) {
            failure.printStackTrace(line.getErr());
        }
        return 1;
    }
}
