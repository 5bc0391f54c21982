package io.rdmarpc.verbs.soft;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another process that runs a main class of these tests and prints lines. Closing it kills it. */
public final class ChildJvm implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    private ChildJvm(Process process) {
        this.process = process;
        this.output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Starts a process. */
    public static ChildJvm start(Class<?> main, String... arguments) throws IOException {
        return startBy(List.of(), main, arguments);
    }

    /** Starts a process with another program, which then executes the JVM. */
    public static ChildJvm startBy(List<String> starter, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(starter);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classPath(),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ChildJvm(
                new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
    }

    /** Surefire puts the module's classes on the module path; a plain child takes both as its class path. */
    private static String classPath() {
        String modulePath = System.getProperty("jdk.module.path", "");
        String separator = modulePath.isEmpty() ? "" : File.pathSeparator;
        return location(ChildJvm.class) + File.pathSeparator + location(SoftProvider.class) + separator + modulePath;
    }

    private static String location(Class<?> type) {
        return Path.of(URI.create(
                        type.getProtectionDomain().getCodeSource().getLocation().toString()))
                .toString();
    }

    /** Returns the process identifier. */
    public long pid() {
        return process.pid();
    }

    /** Waits for the next line of the output and returns it. */
    public String line() {
        try {
            String line = output.readLine();
            if (line == null) {
                throw new AssertionError("the child process has ended: " + process.waitFor());
            }
            return line;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns whether the output has more lines. */
    public boolean hasLine() throws IOException {
        return output.ready();
    }

    /** Kills the process as {@code kill -9} does, and waits for its end. */
    public void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public void close() {
        kill();
    }
}
