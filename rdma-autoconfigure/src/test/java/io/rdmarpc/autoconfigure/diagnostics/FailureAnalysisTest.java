package io.rdmarpc.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rdmarpc.integration.app.Orders;
import io.rdmarpc.integration.app.OrdersImpl;
import io.rdmarpc.integration.app.TestApplication;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** The failure analysis of applications with an invalid configuration. */
@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
class FailureAnalysisTest {

    private static void start(Class<?> application, String... properties) {
        Throwable failure = catchThrowable(
                () -> TestApplication.run(application, properties).close());
        assertThat(failure).as("the start").isNotNull();
    }

    private static void assertAnalysis(CapturedOutput output, String... words) {
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Action:")
                .contains(words);
        assertThat(output).doesNotContain("\tat ");
    }

    @Test
    void whenATargetIsUnreachableThenTheAnalysisNamesIt() {
        assertThat(new UnreachableTargetFailureAnalyzer()
                        .analyze(new RdmaUnavailableException("target orders could not be reached"))
                        .getAction())
                .contains("rdma.client.eager-connect=false");
    }

    @Test
    void whenTheMtuIsInvalidThenTheAnalysisNamesValidOnes(CapturedOutput output) {
        start(TestApplication.Client.class, "rdma.device.mtu=1500");
        assertAnalysis(
                output,
                "Property: rdma.device.mtu",
                "Value: \"1500B\"",
                "use 256B, 512B, 1KB, 2KB or 4KB",
                "a power of two");
    }

    @Test
    void whenAnOldNameIsSetThenTheNewOneIsReported(CapturedOutput output) {
        start(TestApplication.Client.class, "rdma.device=mlx5_9");
        assertAnalysis(output, "'rdma.device' is now 'rdma.device.name'", "Set them by their new names");
    }

    @Test
    void whenTheDeviceIsUnknownThenTheAnalysisListsDevices(CapturedOutput output) {
        start(TestApplication.Client.class, "rdma.device.name=mlx5_9");
        assertAnalysis(
                output, "The property 'rdma.device.name' is 'mlx5_9'", "devices here: soft0", "rdma.device.name=auto");
    }

    @Test
    void whenTheProviderIsUnknownThenTheAnalysisListsProviders(CapturedOutput output) {
        start(TestApplication.Client.class, "rdma.provider=fast");
        assertAnalysis(output, "The property 'rdma.provider' is 'fast'", "ibverbs, soft");
    }

    @Test
    void whenAQueueExceedsTheDeviceLimitThenTheAnalysisNamesIt(CapturedOutput output) {
        start(TestApplication.Client.class, "rdma.ud.send-depth=1000000000");
        assertAnalysis(output, "The property 'rdma.ud.send-depth' is '1000000000'", "soft0");
    }

    @Test
    void whenTheHeartbeatTimeoutIsTooShortThenTheAnalysisNamesIt(CapturedOutput output) {
        start(TestApplication.Client.class, "rdma.heartbeat.interval=2s", "rdma.heartbeat.timeout=1s");
        assertAnalysis(output, "The property 'rdma.heartbeat.timeout' is 'PT1S'");
    }

    @Test
    void whenThePortIsInUseThenTheAnalysisNamesIt(CapturedOutput output) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            start(TestApplication.Server.class, "rdma.server.port=" + taken.getLocalPort());
            assertAnalysis(
                    output,
                    "The property 'rdma.server.port' is '" + taken.getLocalPort() + "'",
                    "use 0 for a free port");
        }
    }

    @Test
    void whenAnAddressIsInvalidThenTheAnalysisNamesIt(CapturedOutput output) {
        start(Impatient.class, "rdma.client.targets.default.address=http://x");
        assertAnalysis(output, "The property 'rdma.client.targets.default.address' is 'http://x'", "host:port");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @Import(TestApplication.Client.class)
    static class Impatient {

        @Bean
        String caller(Orders orders) {
            return orders.toString();
        }
    }

    @Test
    void whenAServiceHasTwoImplementationsThenTheAnalysisNamesThem(CapturedOutput output) {
        start(Doubled.class);
        assertAnalysis(output, "An RDMA service is invalid: the beans", "'first' and 'second'", "@Primary");
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Doubled {

        @Bean
        Orders first() {
            return new OrdersImpl();
        }

        @Bean
        Orders second() {
            return new OrdersImpl();
        }
    }

    /** With an RDMA device, the application would start and there would be no failure. */
    @Test
    @DisabledIf(value = "hasRdmaDevice", disabledReason = "this machine has an RDMA device: the provider works")
    void whenThereIsNoDeviceThenTheAnalysisNamesTheAlternatives(CapturedOutput output) {
        start(TestApplication.Client.class, "rdma.provider=ibverbs");
        assertAnalysis(output, "rdma.provider=soft");
    }

    static boolean hasRdmaDevice() {
        String[] devices = new File("/sys/class/infiniband").list();
        return devices != null && devices.length > 0;
    }

    @Test
    void whenAVerbFailsThenTheAnalysisHasTheRemedy() {
        var analysis = new VerbsFailureAnalyzer()
                .analyze(new RdmaVerbsException("ibv_reg_mr", "mlx5_0", 12, "Raise ulimit -l."));
        assertThat(analysis.getDescription()).contains("on device mlx5_0", "ibv_reg_mr", "Raise ulimit -l.");
        assertThat(analysis.getAction()).contains("rdma.provider=soft");
    }

    @Test
    void whenNativeAccessIsDeniedThenTheAnalysisNamesTheFlag() {
        var fromVerbs = new VerbsFailureAnalyzer()
                .analyze(
                        new RdmaVerbsException("dlopen", "", 0, "Start java with --enable-native-access=ALL-UNNAMED."));
        assertThat(fromVerbs.getAction()).contains("Enable-Native-Access: ALL-UNNAMED");
        var fromJvm = new NativeAccessFailureAnalyzer().analyze(new IllegalCallerException("Illegal native access"));
        assertThat(fromJvm.getAction()).contains("--enable-native-access=ALL-UNNAMED");
    }
}
