package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.ibverbs.ffi.CCompiler;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Another process, which a test controls by lines of text. It is killed if the test ends first. */
final class PeerProcess implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 60;

    private final Process process;
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> reader;

    private PeerProcess(List<String> command) throws IOException {
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        reader = CompletableFuture.runAsync(() -> process.inputReader().lines().forEach(lines::add));
    }

    static PeerProcess start(String... command) throws IOException {
        return new PeerProcess(List.of(command));
    }

    /** Compiles the C peer of this package. */
    static Path compile(Path directory) throws IOException, InterruptedException {
        CCompiler compiler = new CCompiler(directory);
        compiler.requireHeader("rdma/rdma_cma.h");
        try (InputStream source = PeerProcess.class.getResourceAsStream("cm_peer.c")) {
            String text = new String(Objects.requireNonNull(source).readAllBytes(), StandardCharsets.UTF_8);
            return compiler.program(text, "cm_peer", "-lrdmacm", "-libverbs");
        }
    }

    /** Waits for a line with this beginning and returns the rest of it. */
    String awaitLine(String beginning) throws InterruptedException {
        StringBuilder seen = new StringBuilder();
        while (true) {
            String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(line).as("a line '%s...' after:%s", beginning, seen).isNotNull();
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
            seen.append('\n').append(line);
        }
    }

    /**
     * Kills the process with SIGKILL through its handle: {@link Process} would also close its output while a line is
     * read.
     */
    void kill() {
        process.toHandle().destroyForcibly();
        process.onExit().join();
    }

    /** Waits for the end of the process. */
    int status() throws InterruptedException {
        assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                .as("ends after %s", lines)
                .isTrue();
        return process.exitValue();
    }

    @Override
    public void close() {
        kill();
        reader.join();
    }
}
