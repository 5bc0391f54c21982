package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM with the class path of this test. Closing it kills it. */
public final class JavaProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    private JavaProcess(Process process) {
        this.process = process;
        this.output = process.inputReader();
    }

    /** Starts a class of the transport module, for example of its tests. */
    public static JavaProcess start(Class<?> main, String... arguments) throws IOException {
        return start(List.of(), main, arguments);
    }

    /** Starts a class with additional JVM flags. */
    public static JavaProcess start(List<String> flags, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(flags);
        command.addAll(RdmaRuntime.class.getModule().isNamed() ? asModule(main) : onClassPath(main));
        command.addAll(List.of(arguments));
        return new JavaProcess(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    private static List<String> asModule(Class<?> main) {
        return List.of(
                "--enable-native-access=io.rdmarpc.transport",
                "--module-path",
                directoryOf(RdmaRuntime.class),
                "--patch-module",
                "io.rdmarpc.transport=" + directoryOf(EchoProcess.class),
                "--module",
                "io.rdmarpc.transport/" + main.getName());
    }

    /** An IDE may run tests without modules. */
    private static List<String> onClassPath(Class<?> main) {
        String path = directoryOf(RdmaRuntime.class) + File.pathSeparator + directoryOf(EchoProcess.class);
        return List.of("--enable-native-access=ALL-UNNAMED", "-cp", path, main.getName());
    }

    /** Main and test classes of a patched module share one code source, but are in two directories. */
    private static String directoryOf(Class<?> type) {
        URL resource = type.getResource(type.getSimpleName() + ".class");
        Path file = Path.of(URI.create(String.valueOf(resource)));
        return file.getRoot()
                .resolve(file.subpath(0, file.getNameCount() - type.getName().split("\\.").length))
                .toString();
    }

    /** Waits for a line that starts with a word, and returns the rest of the line. */
    public String await(String word) throws IOException {
        String line = output.readLine();
        while (line != null && !line.startsWith(word)) {
            line = output.readLine();
        }
        assertThat(line).as("the line %s of a process", word).isNotNull();
        return line.substring(word.length()).strip();
    }

    /** Kills the process with SIGKILL and waits until it has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("gone").isTrue();
    }

    /** Closes its standard input, which makes it end. */
    public void endInput() throws IOException {
        process.outputWriter().close();
    }

    /** Waits for its end. Its output must have been read. */
    public int exitStatus() throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ended").isTrue();
        return process.exitValue();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
