package io.rdmarpc.benchmarks;

import picocli.CommandLine;

/** Runs command lines. A failure is reported as one sentence; with {@code RDMA_TRACE} in the environment, with its stack trace. */
public final class Commands {

    private static final boolean TRACE = System.getenv("RDMA_TRACE") != null;

    private Commands() {}

    /**
     * Runs a command. If an option is given twice, the last one counts.
     *
     * @param command an object with picocli's annotations, or a {@link CommandLine}
     * @param arguments the words after the program's name
     * @return its exit status, 1 if it failed, 2 for wrong arguments
     */
    public static int run(Object command, String... arguments) {
        return (command instanceof CommandLine line ? line : new CommandLine(command))
                // Scripts put their own options first; their callers may give them again.
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
