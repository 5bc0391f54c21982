package io.rdmarpc.docs.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.shop.client.ClientApplication;
import com.example.shop.server.ServerApplication;
import io.rdmarpc.integration.app.FreePort;
import io.rdmarpc.integration.app.TestApplication;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(60)
@ExtendWith(OutputCaptureExtension.class)
@DisplayName("The applications of docs/tutorial/two-applications.md")
class TwoApplicationsTest {

    private static void runClient(int port) {
        TestApplication.run(
                        ClientApplication.class,
                        "rdma.client.timeout=2s",
                        "rdma.client.targets.default.address=127.0.0.1:" + port)
                .close();
    }

    @Test
    void shouldCallTheServer(CapturedOutput output) {
        try (ConfigurableApplicationContext server = TestApplication.run(ServerApplication.class)) {
            runClient(TestApplication.port(server));
        }

        assertThat(output)
                .contains(": com.example.shop.contract.Stock")
                .contains("bolt: Optional[Item[article=bolt, count=3]]")
                .contains("nut: Optional.empty");
    }

    @Test
    void whenThereIsNoServerThenTheClientPrintsTheStatus(CapturedOutput output) throws Exception {
        int port = FreePort.find();

        runClient(port);

        assertThat(output)
                .contains("UNAVAILABLE: com.example.shop.contract.Stock.store at default (127.0.0.1:" + port + ")")
                .contains("could not be reached within ");
    }
}
