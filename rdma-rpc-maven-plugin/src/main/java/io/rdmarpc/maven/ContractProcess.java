package io.rdmarpc.maven;

import java.io.File;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;

/** A JVM that loads the classes of a module and compares or stores its contracts. */
final class ContractProcess {

    /** Exit status: no change needs an approval. */
    static final int ACCEPTED = 0;
    /** Exit status: a change needs an approval. */
    static final int REJECTED = 10;
    /** Exit status: the settings, the classes or the stored files are invalid. */
    static final int FAILED = 11;

    private static final String MAIN = "io.rdmarpc.service.contract.check.ContractCommand";
    private static final long MAX_MINUTES = 5;

    /**
     * The end of a process.
     *
     * @param exit the exit status
     * @param lines its report; what it printed if it wrote no report
     */
    record Result(int exit, List<String> lines) {}

    private final String java;
    private final List<String> classPath;

    ContractProcess(String java, List<String> classPath) {
        this.java = java;
        this.classPath = classPath;
    }

    Result run(Path directory, Properties settings) throws IOException, InterruptedException {
        Path own = Files.createDirectories(directory.resolve("rdma-contracts"));
        Path file = own.resolve("settings.properties");
        try (Writer writer = Files.newBufferedWriter(file)) {
            settings.store(writer, null);
        }
        Path arguments = own.resolve("java.args");
        // A class path may be longer than a command line can be.
        Files.writeString(arguments, "-cp " + quote(String.join(File.pathSeparator, classPath)) + "\n");
        Path output = own.resolve("output.txt");
        Path report = own.resolve("report.txt");
        Files.deleteIfExists(report);
        Process process = new ProcessBuilder(java, "@" + arguments, MAIN, file.toString(), report.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        process.getOutputStream().close();
        try {
            if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
                throw new IOException(
                        "the process did not end within " + MAX_MINUTES + " minutes; its output is in " + output);
            }
        } finally {
            process.destroyForcibly();
        }
        boolean reported = Files.exists(report) && Files.size(report) > 0;
        return new Result(process.exitValue(), Files.readAllLines(reported ? report : output));
    }

    /** Quotes a value for an argument file of the java command. */
    private static String quote(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Describes a process that has not compared, and what to do. */
    static String describe(Result result) {
        String output = String.join("\n", result.lines());
        if (result.exit() == FAILED) {
            return "The contracts were not compared: " + output;
        }
        String advice = "";
        if (output.contains("UnsupportedClassVersionError")) {
            advice =
                    "Its Java version is too old: run Maven with JDK 25, or select a JDK 25 with maven-toolchains-plugin.\n";
        } else if (output.contains(MAIN)) {
            advice = "Use the same version of rdma-rpc-maven-plugin and of the rdma-rpc that this module depends on.\n";
        }
        return "The contracts were not compared, because the process ended with status " + result.exit() + ".\n"
                + advice + output;
    }
}
