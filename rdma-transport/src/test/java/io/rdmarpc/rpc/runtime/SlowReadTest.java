package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that serves the READs of its large requests at 125 kB/s. Over UDP, because over shared memory a READ is a
 * copy.
 */
@Timeout(120)
class SlowReadTest {

    private static final int HUGE = 4 << 20;
    private static final int LARGE = 200_000;

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private RdmaRuntime serving;
    private RdmaRuntime slow;
    private RdmaRuntime quick;
    private RpcServer server;
    private RpcSession slowSession;
    private RpcSession quickSession;

    @BeforeEach
    void open() {
        serving = Runtimes.open(SoftLink.UDP.options());
        slow = Runtimes.open(SoftLink.UDP.options("soft.faults.bandwidth=1Mbit"));
        quick = Runtimes.open(SoftLink.UDP.options());
        serving.export(Echo.export(executor));
        server = Runtimes.listen(serving);
        slowSession = Runtimes.channel(slow, server).session(LONG);
        quickSession = Runtimes.channel(quick, server).session(LONG);
        Runtimes.echo(quickSession, LARGE);
    }

    @AfterEach
    void close() {
        slow.close();
        quick.close();
        serving.close();
        executor.close();
        assertThat(serving.registeredBytes()).isZero();
    }

    private List<CompletableFuture<byte[]>> callSlowly() {
        List<CompletableFuture<byte[]>> calls = new ArrayList<>();
        for (int i = 0; i < slowSession.info().window(); i++) {
            calls.add(Echo.call(slowSession, Echo.ECHO.id(), Echo.payload(HUGE, i), LONG));
        }
        Runtimes.await("READs from the slow client", () -> serving.traffic().readsInFlight() > 0);
        return calls;
    }

    @Test
    @DisplayName("leaves READs and memory to another client, whose large calls continue")
    void whenAClientServesReadsSlowlyThenAnotherOnesCallsContinue() {
        List<CompletableFuture<byte[]>> calls = callSlowly();

        for (int i = 0; i < 20; i++) {
            Runtimes.echo(quickSession, LARGE);
        }

        assertThat(calls).as("READs of the slow client continue meanwhile").noneMatch(CompletableFuture::isDone);
        calls.forEach(call -> call.cancel(false));
    }

    @Test
    @DisplayName("loses its session, and the other client does not")
    void whenAClientServesReadsTooSlowlyThenItsSessionEnds() {
        for (CompletableFuture<byte[]> call : callSlowly()) {
            assertThatExceptionOfType(RdmaUnavailableException.class)
                    .isThrownBy(() -> Runtimes.get(call))
                    .withMessageContaining("made no progress for 3000 ms");
        }

        assertThat(serving.traffic().readsStalled()).isOne();
        Runtimes.echo(quickSession, LARGE);
        assertThat(quickSession.isOpen()).isTrue();
    }
}
