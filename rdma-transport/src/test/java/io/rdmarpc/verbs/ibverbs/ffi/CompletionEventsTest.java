package io.rdmarpc.verbs.ibverbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.LibC;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads events of a C library that replaces libibverbs. */
@DisplayName("The events of a completion channel")
class CompletionEventsTest {

    private static final String LIBRARY = """
            #include <errno.h>
            struct channel { int events; int interrupts; int last_errno; int acknowledged; };
            int get(struct channel *channel, void **cq, void **context) {
                if (channel->interrupts > 0) { channel->interrupts--; errno = EINTR; return -1; }
                if (channel->events == 0) { errno = channel->last_errno; return -1; }
                channel->events--;
                *cq = channel;
                *context = 0;
                return 0;
            }
            void ack(struct channel *cq, unsigned int events) { cq->acknowledged += events; }
            """;

    private final MemorySegment channel = Arena.ofAuto().allocate(16, 8);

    @TempDir
    private Path directory;

    private CompletionEvents events;

    @BeforeEach
    void compileLibrary() throws IOException, InterruptedException {
        events = events(new CCompiler(directory).library(LIBRARY), channel);
        channel.set(ValueLayout.JAVA_INT, 8, Errno.EAGAIN);
    }

    @SuppressWarnings("restricted") // Loads the library that this test compiled.
    private static CompletionEvents events(Path library, MemorySegment channel) {
        SymbolLookup symbols = SymbolLookup.libraryLookup(library, Arena.global());
        return new CompletionEvents(
                symbols.find("get").orElseThrow(), symbols.find("ack").orElseThrow(), channel.address());
    }

    private int acknowledged() {
        return channel.get(ValueLayout.JAVA_INT, 12);
    }

    @Test
    void shouldReadAndAcknowledgeAllEvents() {
        channel.set(ValueLayout.JAVA_INT, 0, 5);

        assertThat(events.takeAll()).isEqualTo(5);
        assertThat(acknowledged()).isEqualTo(5);
        assertThat(events.takeAll()).isZero();
    }

    @Test
    void whenASignalInterruptsThenEventsAreStillRead() {
        channel.set(ValueLayout.JAVA_INT, 0, 2);
        channel.set(ValueLayout.JAVA_INT, 4, 3);

        assertThat(events.takeAll()).isEqualTo(2);
    }

    @Test
    void whenTheDeviceIsGoneThenAnErrorIsReturned() {
        channel.set(ValueLayout.JAVA_INT, 8, Errno.EIO);
        channel.set(ValueLayout.JAVA_INT, 0, 1);

        assertThat(events.takeAll()).isEqualTo(1);
        assertThat(events.takeAll()).isEqualTo(-Errno.EIO);
        assertThat(acknowledged()).isEqualTo(1);
    }

    @Test
    @DisplayName("are read without allocation: a heap of 24 MiB without a collector is enough for 2 million")
    @Tag("processes")
    void shouldNotAllocate() throws IOException, InterruptedException {
        List<String> options = List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:+UseEpsilonGC",
                "-Xms24m",
                "-Xmx24m");

        ChildJvm.Result result = ChildJvm.run(
                options, WaitsOften.class, directory.resolve("library.so").toString());

        assertThat(result.output()).contains("done");
    }

    /** Runs in a separate JVM. */
    static final class WaitsOften {

        private static final int ROUNDS = 2_000_000;

        private WaitsOften() {}

        public static void main(String[] arguments) {
            MemorySegment channel = Arena.global().allocate(16, 8);
            channel.set(ValueLayout.JAVA_INT, 8, Errno.EAGAIN);
            CompletionEvents events = events(Path.of(arguments[0]), channel);
            DescriptorWait wait = DescriptorWait.on(LibC.eventfd(0).descriptor("", errno -> ""), "");
            for (int i = 0; i < ROUNDS; i++) {
                wait.wakeUp();
                wait.await(Long.MAX_VALUE);
                channel.set(ValueLayout.JAVA_INT, 0, 1);
                events.takeAll();
            }
            IO.println("done");
        }
    }
}
