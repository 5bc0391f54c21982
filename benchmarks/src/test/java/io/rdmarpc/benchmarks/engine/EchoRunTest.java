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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("A measurement of the engine")
@Timeout(120)
class EchoRunTest {

    @ParameterizedTest
    @EnumSource(EchoMeasure.class)
    @DisplayName("comes to an end with a number, and checks what comes back")
    void measures(EchoMeasure measure) {
        PollingConfig polling = measure.usesPollingThread() ? PollingConfig.DEFAULTS : PollingConfig.USER_DRIVEN;
        try (RdmaRuntime server = EchoService.open(PollingConfig.DEFAULTS);
                RdmaRuntime client = EchoService.open(polling)) {
            server.export(EchoService.export());
            try (RpcServer listening = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                    RpcChannel first = client.channel("first", listening.address());
                    RpcChannel second = client.channel("second", listening.address())) {
                EchoRun run = new EchoRun(client, first, second);

                assertThat(measure.measure(run, Duration.ofMillis(50)))
                        .isNotNegative()
                        .isFinite();
            }
        }
    }
}
