package io.rdmarpc.docs.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.greetings.GreetingsApplication;
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
@DisplayName("The application of docs/tutorial/first-service.md")
class FirstServiceTest {

    @Test
    void shouldCallItsOwnService(CapturedOutput output) throws Exception {
        int port = FreePort.find();
        try (ConfigurableApplicationContext _ = TestApplication.run(
                GreetingsApplication.class,
                "rdma.server.port=" + port,
                "rdma.client.targets.default.address=127.0.0.1:" + port)) {
            assertThat(output)
                    .contains("response: Hello, Ada")
                    .contains("services at 127.0.0.1:" + port + ": com.example.greetings.Greeter");
        }
    }
}
