package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams between engines with polling threads, over the software RNIC. */
@Timeout(120)
class StreamRuntimeTest {

    @ParameterizedTest(name = "loss {0}, duplicates {1}, reordered {2}, corrupted {3}")
    @CsvSource({"0, 0, 0, 0", "0.05, 0.1, 0.1, 0", "0.02, 0.3, 0.3, 0.02"})
    @DisplayName("LO-01 LO-02 LO-03 LO-04 four concurrent streams, small and large messages, over a faulty network")
    void whenTheNetworkIsFaultyThenEveryMessageIsEchoed(String loss, String duplicate, String reorder, String corrupt) {
        long seed = TestSeed.next();
        String[] faults = {
            "soft.faults.loss=" + loss,
            "soft.faults.duplicate=" + duplicate,
            "soft.faults.reorder=" + reorder,
            "soft.faults.corrupt=" + corrupt,
            "soft.faults.seed=" + seed
        };
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                RdmaRuntime serving = Runtimes.open(faults);
                RdmaRuntime calling = Runtimes.open(faults)) {
            serving.export(StreamEcho.export(executor));
            RpcServer server = Runtimes.listen(serving);
            RpcChannel channel = Runtimes.channel(calling, server);
            RpcSession session = channel.session(LONG);
            CompletableFuture<?>[] streams = new CompletableFuture<?>[4];
            for (int i = 0; i < streams.length; i++) {
                int number = i;
                streams[i] = CompletableFuture.runAsync(() -> check(session, seed + number), executor);
            }
            Runtimes.get(CompletableFuture.allOf(streams));
        }
    }

    private static void check(RpcSession session, long seed) {
        try {
            assertThat(StreamEcho.check(session, 200, seed)).as("seed %d", seed).isEmpty();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    @DisplayName("FL-03 the end of the session wakes a thread that waits for a message")
    void whenTheServerStopsThenWaitingThreadsWake() {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                RdmaRuntime serving = Runtimes.open();
                RdmaRuntime calling = Runtimes.open()) {
            serving.export(StreamEcho.export(executor));
            RpcServer server = Runtimes.listen(serving);
            RpcSession session = Runtimes.channel(calling, server).session(LONG);
            try (BlockingStream stream = BlockingStream.open(session, StreamEcho.ECHO, 1, LONG.toNanos())) {
                server.close();

                assertThatExceptionOfType(RdmaRpcException.class)
                        .isThrownBy(stream::take)
                        .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE));
            }
        }
    }
}
