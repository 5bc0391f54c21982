package io.rdmarpc.docs.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ContainersTest {

    private static final OrdersContainer CONTAINER = new OrdersContainer() {

        @Override
        public String host() {
            return "127.0.0.1";
        }

        @Override
        public int mappedPort(int port) {
            return port + 1;
        }
    };

    @Test
    void whenAContainerIsStartedThenItsTargetHasAnAddress() {
        new ApplicationContextRunner()
                .withBean(OrdersContainer.class, () -> CONTAINER)
                .withUserConfiguration(Containers.class)
                .run(context -> assertThat(
                                context.getBean(RdmaConnectionDetails.class).getAddress("orders"))
                        .isEqualTo("127.0.0.1:7472"));
    }
}
