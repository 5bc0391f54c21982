package io.rdmarpc.verbs.ibverbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.error.Errno;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls a C library that replaces a provider, which tests the passing of arguments without a NIC. */
@DisplayName("The verbs of the hot path")
class DataPathTest {

    private static final String PROVIDER = """
            struct queue { int result; int max; void *array; };
            int poll_cq(struct queue *cq, int max, void *wc) {
                cq->max = max; cq->array = wc; return cq->result;
            }
            int post(struct queue *qp, void *wr, void **bad) {
                qp->array = wr; *bad = (char *) wr + 128; return qp->result;
            }
            """;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment queue = arena.allocate(16, 8);
    private final MemorySegment bad = arena.allocate(ValueLayout.JAVA_LONG);

    @TempDir
    private Path directory;

    private DataPath inUserSpace;
    private DataPath bySystemCall;

    @BeforeEach
    void compileProvider() throws IOException, InterruptedException {
        SymbolLookup symbols = library(new CCompiler(directory).library(PROVIDER));
        MemorySegment poll = symbols.find("poll_cq").orElseThrow();
        MemorySegment post = symbols.find("post").orElseThrow();
        inUserSpace = new DataPath(poll, poll, post, post, post, true, true);
        bySystemCall = new DataPath(poll, poll, post, post, post, false, false);
    }

    @Test
    void shouldPassPollArgumentsAndReturnTheCount() {
        setResult(5);

        assertThat(inUserSpace.poll(queue.address(), 32, 0x1234_5678_9ABCL)).isEqualTo(5);
        assertThat(queue.get(ValueLayout.JAVA_INT, 4)).isEqualTo(32);
        assertThat(queue.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(0x1234_5678_9ABCL);
    }

    @Test
    void whenAPollReturnsANegativeNumberThenItIsEio() {
        setResult(-2);

        assertThat(inUserSpace.poll(queue.address(), 1, 0)).isEqualTo(-Errno.EIO);
    }

    @Test
    void shouldPassPostArgumentsAndReturnTheBadRequest() {
        setResult(Errno.ENOMEM);

        for (DataPath path : new DataPath[] {inUserSpace, bySystemCall}) {
            assertThat(path.postSend(queue.address(), 4096, bad.address())).isEqualTo(Errno.ENOMEM);
            assertThat(queue.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(4096);
            assertThat(bad.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(4096 + 128);
            assertThat(path.postReceive(queue.address(), 8192, bad.address())).isEqualTo(Errno.ENOMEM);
            assertThat(bad.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(8192 + 128);
        }
    }

    @Test
    void shouldNegateErrorNumbersOfOldProviders() {
        setResult(-Errno.ENOMEM);
        assertThat(bySystemCall.postSend(queue.address(), 0, bad.address())).isEqualTo(Errno.ENOMEM);

        setResult(-1);
        assertThat(bySystemCall.postSend(queue.address(), 0, bad.address())).isEqualTo(Errno.EINVAL);
    }

    @Test
    @DisplayName("allocate nothing: a heap of 64 MiB without a collector is enough for 15 million calls")
    void shouldNotAllocate() throws IOException, InterruptedException {
        List<String> options = List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:+UseEpsilonGC",
                "-Xms64m",
                "-Xmx64m");

        ChildJvm.Result result = ChildJvm.run(
                options, CallsOften.class, directory.resolve("library.so").toString());

        assertThat(result.output()).contains("done");
    }

    /** Runs in a separate JVM. */
    static final class CallsOften {

        private static final int ROUNDS = 5_000_000;

        private CallsOften() {}

        public static void main(String[] arguments) {
            SymbolLookup symbols = library(Path.of(arguments[0]));
            MemorySegment poll = symbols.find("poll_cq").orElseThrow();
            MemorySegment post = symbols.find("post").orElseThrow();
            DataPath inUserSpace = new DataPath(poll, poll, post, post, post, true, true);
            DataPath bySystemCall = new DataPath(poll, poll, post, post, post, false, false);
            long queue = Arena.global().allocate(16, 8).address();
            long bad = Arena.global().allocate(ValueLayout.JAVA_LONG).address();
            for (int i = 0; i < ROUNDS; i++) {
                inUserSpace.poll(queue, 16, 64);
                inUserSpace.postSend(queue, 128, bad);
                bySystemCall.postReceive(queue, 128, bad);
            }
            IO.println("done");
        }
    }

    @SuppressWarnings("restricted") // Loads the library that this test compiled.
    private static SymbolLookup library(Path file) {
        return SymbolLookup.libraryLookup(file, Arena.global());
    }

    private void setResult(int result) {
        queue.set(ValueLayout.JAVA_INT, 0, result);
    }
}
