package io.rdmarpc.benchmarks.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Both ends of a measurement on the software RNIC; it is measured on a device, this shows that it runs. */
@Timeout(180)
class SoftBenchmarksTest {

    private static int run(String... words) {
        Stream<String> options = Stream.of("--provider", "soft", "-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0");
        return VerbsBenchmarks.run(Stream.concat(Stream.of(words), options).toArray(String[]::new));
    }

    private static String freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return Integer.toString(socket.getLocalPort());
        }
    }

    @Test
    void shouldMeasureTheLatencyOfDatagrams() throws Exception {
        String port = freePort();
        String[] server = {"send-lat", "-c", "UD", "-s", "64", "-n", "500", "--warm-up", "600", "-p", port};
        CompletableFuture<Integer> peer = CompletableFuture.supplyAsync(() -> run(server));
        int client = 1;
        for (int attempt = 0; client != 0 && attempt < 100 && !peer.isDone(); attempt++) {
            client =
                    run(Stream.concat(Stream.of(server), Stream.of("127.0.0.1")).toArray(String[]::new));
            Thread.sleep(50);
        }

        assertThat(client).isZero();
        assertThat(peer.get(30, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void whenNobodyListensThenTheClientSaysSo() throws Exception {
        assertThat(run("read-bw", "-p", freePort(), "127.0.0.1")).isEqualTo(1);
    }
}
