package io.rdmarpc.verbs.ibverbs.ffi;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a class in a separate JVM, with the class path only, for tests of JVM options. */
public final class ChildJvm {

    private ChildJvm() {}

    /**
     * The result of the JVM.
     *
     * @param status the exit status
     * @param output stdout and stderr
     */
    public record Result(int status, String output) {}

    /** Runs the main method of a test class. */
    public static Result run(List<String> options, Class<?> main, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-cp");
        command.add(location(DataPath.class) + ":" + location(main));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = String.join("\n", process.inputReader().lines().toList());
        return new Result(process.waitFor(), output);
    }

    private static String location(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation().getPath();
    }
}
