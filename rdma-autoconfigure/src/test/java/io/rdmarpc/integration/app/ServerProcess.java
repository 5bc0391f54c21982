package io.rdmarpc.integration.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/** An application in a JVM of its own; serves until it is killed. */
public final class ServerProcess implements AutoCloseable {

    private static final String READY = "ready at ";

    private final Process process;
    private final int port;

    private ServerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** The application's class, then its properties. */
    public static void main(String[] args) throws ClassNotFoundException {
        ConfigurableApplicationContext server =
                TestApplication.run(Class.forName(args[0]), Arrays.copyOfRange(args, 1, args.length));
        System.out.println(READY + TestApplication.port(server));
    }

    public static ServerProcess start(Class<?> application, String... properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ServerProcess.class.getName(),
                application.getName()));
        command.addAll(List.of(properties));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new ServerProcess(process, awaitReady(process.inputReader(StandardCharsets.UTF_8)));
    }

    private static int awaitReady(BufferedReader lines) throws IOException {
        StringBuilder output = new StringBuilder();
        String line;
        while ((line = lines.readLine()) != null) {
            if (line.startsWith(READY)) {
                Thread.ofPlatform().daemon().name("output-of-server").start(() -> readAll(lines));
                return Integer.parseInt(line.substring(READY.length()));
            }
            output.append(line).append('\n');
        }
        throw new AssertionError("the server ended: " + output);
    }

    /** A process whose output nobody reads stops at its next line some day. */
    private static void readAll(BufferedReader lines) {
        try {
            String line;
            do {
                line = lines.readLine();
            } while (line != null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return port;
    }

    public String address() {
        return "127.0.0.1:" + port;
    }

    public boolean lives() {
        return process.isAlive();
    }

    /** SIGKILL: no goodbye. */
    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
