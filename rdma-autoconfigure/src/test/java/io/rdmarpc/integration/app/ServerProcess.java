package io.rdmarpc.integration.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.springframework.context.ConfigurableApplicationContext;

/** An application in a JVM of its own; serves until it is stopped or killed. */
public final class ServerProcess implements AutoCloseable {

    private static final String READY = "ready at ";

    private static final int STOP_LIMIT_SECONDS = 60;

    private final Process process;
    private final int port;
    private final Thread reading;
    private final Queue<String> output = new ConcurrentLinkedQueue<>();

    private ServerProcess(Process process, int port, BufferedReader lines) {
        this.process = process;
        this.port = port;
        this.reading = Thread.ofPlatform().daemon().name("output-of-server").start(() -> readAll(lines));
    }

    /** The application's class, then its properties. */
    public static void main(String[] args) throws ClassNotFoundException {
        ConfigurableApplicationContext server =
                TestApplication.run(Class.forName(args[0]), Arrays.copyOfRange(args, 1, args.length));
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
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
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        return new ServerProcess(process, awaitReady(lines), lines);
    }

    private static int awaitReady(BufferedReader lines) throws IOException {
        StringBuilder output = new StringBuilder();
        String line;
        while ((line = lines.readLine()) != null) {
            if (line.startsWith(READY)) {
                return Integer.parseInt(line.substring(READY.length()));
            }
            output.append(line).append('\n');
        }
        throw new AssertionError("the server ended: " + output);
    }

    /** A process whose output nobody reads stops at its next line some day. */
    private void readAll(BufferedReader lines) {
        try {
            String line;
            while ((line = lines.readLine()) != null) {
                output.add(line);
            }
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

    public long pid() {
        return process.pid();
    }

    /** SIGTERM. Returns what the process has printed since it was ready, once it has ended. */
    public List<String> stop() throws InterruptedException {
        // The process's own destroy() would close its output, too.
        process.toHandle().destroy();
        if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
            close();
            throw new AssertionError("the server did not stop within " + STOP_LIMIT_SECONDS + " s: " + output);
        }
        reading.join();
        return List.copyOf(output);
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
