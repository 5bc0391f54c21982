package io.rdmarpc.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
@Timeout(120)
class DemoApplicationTest {

    @Test
    void serverAndClientInOneProcess(CapturedOutput output) {
        ConfigurableApplicationContext server = run("server", "--rdma.server.port=0");
        String port = server.getEnvironment().getRequiredProperty("local.rdma.server.port");
        ConfigurableApplicationContext client =
                run("client", "--rdma.client.targets.default.address=127.0.0.1:" + port, "--demo.callers=4");
        assertThat(SpringApplication.exit(client)).isZero();
        assertThat(SpringApplication.exit(server)).isZero();
        assertThat(output)
                .contains("first call", "place, 1 caller", "place, 4 callers", "report of 1.")
                .contains("provider soft, device soft0")
                .contains("every response was checked and is correct");
    }

    @Test
    void bothRolesInOneContext(CapturedOutput output) {
        ConfigurableApplicationContext both =
                run("both", "--rdma.server.port=47471", "--rdma.client.targets.default.address=127.0.0.1:47471");
        assertThat(SpringApplication.exit(both)).isZero();
        assertThat(output).contains("every response was checked and is correct");
    }

    @Test
    void shouldCallEachMethodInATrainingRun(CapturedOutput output) {
        ConfigurableApplicationContext training =
                run("training", "--rdma.server.port=47473", "--rdma.client.targets.default.address=127.0.0.1:47473");

        assertThat(SpringApplication.exit(training)).isZero();
        assertThat(output).contains("called each method once");
    }

    /** Disabled on hosts with an RDMA device, because the demo then uses the device and prints no such reason. */
    @Test
    @DisabledIf("hasRdmaDevice")
    void whenThereIsNoRdmaDeviceThenItSaysSoAndWhyTheSoftwareRnicIsInUse(CapturedOutput output) {
        ConfigurableApplicationContext both = run(
                "both",
                "--rdma.provider=auto",
                "--rdma.server.port=47472",
                "--rdma.client.targets.default.address=127.0.0.1:47472");
        assertThat(SpringApplication.exit(both)).isZero();
        assertThat(output)
                .containsPattern("provider chosen: soft0 of provider soft \\(.*(no RDMA device|libibverbs).*\\)");
    }

    static boolean hasRdmaDevice() {
        String[] devices = new File("/sys/class/infiniband").list();
        return devices != null && devices.length > 0;
    }

    private static ConfigurableApplicationContext run(String profile, String... arguments) {
        return new SpringApplicationBuilder(DemoApplication.class)
                .profiles(profile)
                .properties("demo.seconds=1", "rdma.provider=soft", "rdma.memory.max-size=256MB")
                .registerShutdownHook(false)
                .run(arguments);
    }
}
