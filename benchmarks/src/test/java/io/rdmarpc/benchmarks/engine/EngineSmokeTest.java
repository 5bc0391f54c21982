package io.rdmarpc.benchmarks.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each change has to keep. Times are printed, for those who look; no machine is fast enough to judge them here. */
@DisplayName("A call on bytes")
@Timeout(180)
class EngineSmokeTest {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration FOR_COMPILERS = Duration.ofSeconds(6);

    private static double measure(EchoMeasure measure, Duration time) {
        PollingConfig polling = measure.usesPollingThread() ? PollingConfig.DEFAULTS : PollingConfig.USER_DRIVEN;
        try (RdmaRuntime server = EchoService.open(PollingConfig.DEFAULTS);
                RdmaRuntime client = EchoService.open(polling)) {
            server.export(EchoService.export());
            try (RpcServer listening = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    RpcChannel first = client.channel("first", listening.address());
                    RpcChannel second = client.channel("second", listening.address())) {
                EchoRun run = new EchoRun(client, first, second);
                measure.measure(run, time);
                return measure.measure(run, time);
            }
        }
    }

    @Test
    @DisplayName("allocates nothing in the engines of both sides and in its caller")
    void allocatesNothing() {
        System.out.printf(
                "EngineSmokeTest, not judged: %.2f us half a round trip, %.2f million calls a second, %.0f MiB/s%n",
                measure(EchoMeasure.LATENCY, SHORT),
                measure(EchoMeasure.RATE, SHORT),
                measure(EchoMeasure.BANDWIDTH, SHORT));

        assertThat(measure(EchoMeasure.ALLOCATION, FOR_COMPILERS))
                .as("bytes for a call")
                .isZero();
    }
}
