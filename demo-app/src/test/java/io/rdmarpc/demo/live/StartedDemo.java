package io.rdmarpc.demo.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A demo started by {@code ./demo --web} with the jar that the build made. */
final class StartedDemo {

    private static final String URL = "RDMA compared with gRPC and HTTP: ";
    private static final long STOP_LIMIT_SECONDS = 60;

    private final Process process;
    private final String url;

    private StartedDemo(Process process, String url) {
        this.process = process;
        this.url = url;
    }

    /**
     * Starts the demo and waits for the URL of its page.
     *
     * @param options additional options of the command
     */
    static StartedDemo start(String... options) throws IOException {
        List<String> command = new ArrayList<>(List.of("./demo", "--web", "--port", "0"));
        command.addAll(List.of(options));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(Path.of("..").toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            return new StartedDemo(process, awaitUrl(process.inputReader()));
        } catch (IOException | AssertionError e) {
            process.destroy();
            throw e;
        }
    }

    private static String awaitUrl(BufferedReader output) throws IOException {
        List<String> lines = new ArrayList<>();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            if (line.startsWith(URL)) {
                return line.substring(URL.length());
            }
            lines.add(line);
        }
        throw new AssertionError("the demo ended without printing a URL: " + String.join("\n", lines));
    }

    String url() {
        return url;
    }

    /** Ends the demo as Ctrl-C does. */
    void close() throws InterruptedException {
        process.destroy();
        boolean ended = process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).as("the demo ends after the signal").isTrue();
    }
}
