package io.rdmarpc.benchmarks;

import picocli.CommandLine;

/**
 * Runs command lines and reports a failure by its message. If the environment has {@code RDMA_TRACE}, it reports the
 * stack trace too.
 */
public final class Commands {

    private static final boolean TRACE = System.getenv("RDMA_TRACE") != null;

    private Commands() {}

    /**
     * Runs a command. If an option is given more than once, the last value counts.
     *
     * @param command an object with picocli annotations, or a {@link CommandLine}
     * @param arguments arguments after the program's name
     * @return the exit status: 1 if the command failed, 2 for invalid arguments
     */
    public static int run(Object command, String... arguments) {
        return (command instanceof CommandLine line ? line : new CommandLine(command))
                // Scripts pass their own options first, and the user of a script may override them.
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
